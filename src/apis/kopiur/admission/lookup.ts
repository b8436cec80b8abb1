import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ClusterRepository } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import type { KubeObject, ObjectKey, ObjectName } from "../../../kube/object.ts";

/** An object, or that there is none, or that nobody can tell: its kind has not been read yet, or is not watched. */
export type Found<T> = T | "absent" | "unknown";

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
  /** The recipes of a repository, by its key; as far as they are known. */
  configsOf(repository: ObjectKey): readonly BackupConfig[];
  /** The Maintenances of a repository, by its key; as far as they are known. */
  maintenancesOf(repository: ObjectKey): readonly Maintenance[];
}

export function isPresent<T extends object>(found: Found<T>): found is T {
  return typeof found === "object";
}
