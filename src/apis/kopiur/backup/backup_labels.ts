import type { BackupPlan } from "../../../core/backup/plan.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Origin } from "../../../kinds/kopiur/origins.ts";
import type { DeletionPolicy } from "../../../kinds/kopiur/parts.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue } from "../../../lib/names.ts";

/** Whether a Backup stands for a snapshot that was found in a repository, and not for a run. */
export function isDiscovered({ spec }: Backup): boolean {
  return spec.configRef === undefined;
}

/** How a Backup came to be. */
export function originOf(backup: Backup): Origin {
  if (isDiscovered(backup)) return "discovered";
  const { metadata } = backup;
  return metadata.labels?.[LABELS.backupSchedule] ? "scheduled" : "manual";
}

/** The labels by which Backups are selected. */
export function backupLabels(backup: Backup, plan: BackupPlan): Readonly<Record<string, string>> {
  const { repository, identity } = plan;
  return {
    [LABELS.origin]: originOf(backup),
    ...(backup.spec.configRef ? { [LABELS.backupConfig]: labelValue(backup.spec.configRef.name) } : {}),
    ...(repository ? { [LABELS.repository]: labelValue(repository.name) } : {}),
    ...(repository?.uid ? { [LABELS.repositoryUID]: repository.uid } : {}),
    ...(identity
      ? { [LABELS.identityHash]: fingerprint(`${identity.username}@${identity.hostname}`, 12) }
      : {}),
  };
}

/** What becomes of the snapshots when the Backup is deleted. `otherwise`: where it does not say so itself. */
export function deletionPolicyOf({ spec }: Backup, otherwise: DeletionPolicy | undefined): DeletionPolicy {
  return spec.deletionPolicy ?? otherwise ?? "Delete";
}
