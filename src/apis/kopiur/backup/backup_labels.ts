import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Origin } from "../../../kinds/kopiur/origins.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue } from "../../../lib/names.ts";
import type { Frozen } from "./frozen.ts";

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
export function backupLabels(backup: Backup, frozen: Frozen): Readonly<Record<string, string>> {
  const { repository, identity } = frozen;
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
