import { claimOfRepository } from "../../core/repository/volume_problem.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import { keyOf, type ObjectKey, type ObjectName } from "../../kube/object.ts";
import { type AnyRepository, repositoryKey, repositoryText } from "./references.ts";

export interface StoreObjects {
  readonly repositories: Iterable<AnyRepository>;
  readonly configs: Iterable<BackupConfig>;
  find(repository: ObjectKey): AnyRepository | undefined;
  /** Where ClusterRepositories are asked and maintained. Default: that is not known. */
  readonly operatorNamespace?: string;
}

/** A PVC and the repository that lies on it, as people know it. */
export interface Store {
  readonly claim: ObjectName;
  readonly repository: string;
}

/** The PVCs of repositories in the namespace of each, and of its BackupConfigs: movers mount them beside the data. */
export function storesAmong(objects: StoreObjects): readonly Store[] {
  const { repositories, configs, find, operatorNamespace } = objects;
  const used = [...configs].flatMap(({ metadata, spec }) => {
    const { namespace = "" } = metadata;
    const repository = find(repositoryKey(spec.repository, namespace));
    return repository ? [{ repository, namespace }] : [];
  });
  const own = [...repositories].map((repository) => ({
    repository,
    namespace: repository.metadata.namespace ?? operatorNamespace,
  }));
  return [...own, ...used].flatMap(({ repository, namespace }) => {
    const name = claimOfRepository(repository);
    if (name === undefined || namespace === undefined) return [];
    return [{ claim: { namespace, name }, repository: repositoryText(keyOf(repository)) }];
  });
}
