import type { Kind } from "../../../kube/schema/kind.ts";
import { backupConfig } from "./backup_config.ts";
import { resticBackup } from "./restic_backup.ts";
import { resticRepository } from "./restic_repository.ts";
import { resticRestore } from "./restic_restore.ts";

/** The kinds of AutoRestore. */
export const autorestoreKinds: readonly Kind[] = [
  backupConfig,
  resticRepository,
  resticBackup,
  resticRestore,
];
