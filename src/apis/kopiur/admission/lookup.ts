import type { Around as AnyAround, Check as AnyCheck } from "../../../core/admission/check.ts";
import type { StoresIn } from "../../../core/volumes/stores.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ClusterRepository } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { type Found, findIn } from "../../../kube/cache/found.ts";
import type { KubeObject, ObjectKey, ObjectName } from "../../../kube/object.ts";
import { BY_NAMESPACE, BY_REPOSITORY, type KopiurCaches } from "../caches.ts";

/** What is there already. It may be a little behind, so the controllers check again. */
export interface Lookup {
  repository(name: ObjectName): Found<Repository>;
  clusterRepository(name: string): Found<ClusterRepository>;
  config(name: ObjectName): Found<BackupConfig>;
  backup(name: ObjectName): Found<Backup>;
  /** Its metadata alone. */
  claim(name: ObjectName): Found<KubeObject>;
  /** Its metadata alone. */
  namespace(name: string): Found<KubeObject>;
  /** The BackupConfigs of a repository, by its key; as far as they are known. */
  configsOf(repository: ObjectKey): readonly BackupConfig[];
  /** The BackupConfigs of a namespace; as far as they are known. */
  configsIn(namespace: string): readonly BackupConfig[];
  /** The Maintenances of a repository, by its key; as far as they are known. */
  maintenancesOf(repository: ObjectKey): readonly Maintenance[];
  /** The repository of any API that lies on a claim, by its kind and key; as far as it is known. */
  repositoryOn(claim: ObjectName): string | undefined;
}

export type Around = AnyAround<Lookup>;
export type Check<T> = AnyCheck<T, Lookup>;

/** Looks into caches alone. `namespace`: they hold nothing else; default all. */
export function cachedLookup(caches: KopiurCaches, storesIn: StoresIn, namespace?: string): Lookup {
  const { repositories, clusterRepositories, configs, backups, maintenances, claims, namespaces } = caches;
  const inside = <T extends KubeObject>(cache: Cache<T>, name: ObjectName): Found<T> =>
    namespace !== undefined && name.namespace !== namespace ? "unknown" : findIn(cache, name);
  return {
    repository: (name) => inside(repositories, name),
    clusterRepository: (name) => (clusterRepositories ? findIn(clusterRepositories, { name }) : "unknown"),
    config: (name) => inside(configs, name),
    backup: (name) => inside(backups, name),
    claim: (name) => inside<KubeObject>(claims, name),
    namespace: (name) =>
      namespace !== undefined && name !== namespace ? "unknown" : findIn(namespaces, { name }),
    configsOf: (repository) => configs.indexed(BY_REPOSITORY, repository),
    configsIn: (place) => configs.indexed(BY_NAMESPACE, place),
    maintenancesOf: (repository) => maintenances.indexed(BY_REPOSITORY, repository),
    repositoryOn: (claim) => storesIn(claim.namespace ?? "").get(claim.name),
  };
}
