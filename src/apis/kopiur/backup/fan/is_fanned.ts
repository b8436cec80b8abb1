import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../../kinds/kopiur/generated/backup_config.ts";
import { isReaching } from "../../rules/reach.ts";

/**
 * Whether a Backup is of claims of several namespaces: then a Backup in each does the work. What was begun says so first,
 * since it has to be brought to its end.
 */
export function isFanned({ status }: Backup, config: BackupConfig | undefined): boolean {
  if (status?.backupRefs) return true;
  return !status?.resolved && config !== undefined && isReaching(config);
}
