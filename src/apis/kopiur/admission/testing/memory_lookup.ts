import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../../kinds/kopiur/generated/backup_config.ts";
import type { ClusterRepository } from "../../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Maintenance } from "../../../../kinds/kopiur/generated/maintenance.ts";
import type { Repository } from "../../../../kinds/kopiur/generated/repository.ts";
import type { Found } from "../../../../kube/cache/found.ts";
import { type KubeObject, keyOf, type ObjectName } from "../../../../kube/object.ts";
import { repositoryKey } from "../../references.ts";
import type { Lookup } from "../lookup.ts";

/** Looks at these objects, by kind and key. */
export function memoryLookup(objects: ReadonlyMap<string, KubeObject>): Lookup {
  const find = <T extends KubeObject>(kind: string, { namespace, name }: ObjectName): Found<T> =>
    (objects.get(`${kind} ${keyOf({ namespace, name })}`) as T | undefined) ?? "absent";
  const of = <T extends BackupConfig | Maintenance>(kind: string, place: string): readonly T[] =>
    ([...objects.values()] as T[]).filter(
      (object) =>
        object.kind === kind &&
        repositoryKey(object.spec.repository, object.metadata.namespace ?? "") === place,
    );
  return {
    repository: (name) => find<Repository>("Repository", name),
    clusterRepository: (name) => find<ClusterRepository>("ClusterRepository", { name }),
    config: (name) => find<BackupConfig>("BackupConfig", name),
    backup: (name) => find<Backup>("Backup", name),
    claim: (name) => find("PersistentVolumeClaim", name),
    namespace: (name) => find("Namespace", { name }),
    configsOf: (place) => of("BackupConfig", place),
    configsIn: (namespace) =>
      ([...objects.values()] as BackupConfig[]).filter(
        ({ kind, metadata }) => kind === "BackupConfig" && metadata.namespace === namespace,
      ),
    maintenancesOf: (place) => of("Maintenance", place),
    repositoryOn: ({ namespace, name }) => {
      const found = ([...objects.values()] as Repository[]).find(
        (object) =>
          object.kind === "Repository" &&
          object.metadata.namespace === namespace &&
          object.spec.backend.filesystem?.pvc.name === name,
      );
      return found && `Repository ${keyOf(found)}`;
    },
  };
}

/** A lookup whose caches have not been filled. */
export const EMPTY_LOOKUP: Lookup = {
  repository: () => "unknown",
  clusterRepository: () => "unknown",
  config: () => "unknown",
  backup: () => "unknown",
  claim: () => "unknown",
  namespace: () => "unknown",
  configsOf: () => [],
  configsIn: () => [],
  maintenancesOf: () => [],
  repositoryOn: () => undefined,
};
