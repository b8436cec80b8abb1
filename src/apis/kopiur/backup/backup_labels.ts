import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Origin } from "../../../kinds/kopiur/origins.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue } from "../../../lib/names.ts";
import type { Frozen } from "./frozen.ts";

/** How a Backup came to be. */
export function originOf({ metadata, spec }: Backup): Origin {
  if (!spec.configRef) return "discovered";
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
