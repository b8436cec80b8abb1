import type { TaskState } from "../../../core/work/task_decision.ts";
import type { BackupStorageLocation } from "../../../kinds/velero/generated/backup_storage_location.ts";
import { DEFAULT_CREDENTIAL } from "./storage_of.ts";

/**
 * Pure: why a mover waits in vain for the Secret that a location does not even name: an install without it lets Velero's
 * own movers in by their service account, or by their node. Secrets are not read here, so that only the pod tells.
 */
export function noCredential({ metadata, spec }: BackupStorageLocation, task: TaskState): string | undefined {
  if (spec.credential?.name || (task.phase !== "Working" && task.phase !== "Settling")) return undefined;
  const { state } = task;
  const { name } = DEFAULT_CREDENTIAL;
  if (state.phase !== "Waiting" || state.reason !== "SecretMissing") return undefined;
  if (!state.message.includes(`the Secret ${name},`)) return undefined;
  return `BackupStorageLocation ${metadata.name} names no credential, and there is no Secret ${name}. Movers cannot use web identity or the identity of a node. Put an access key into a Secret, and name that in spec.credential.`;
}
