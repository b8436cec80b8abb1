import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { originOf } from "../backup/backup_labels.ts";
import { isCancelled } from "../backup/is_cancelled.ts";

export interface ObservedRequests {
  /** One that is about claims of several namespaces. */
  readonly config: BackupConfig;
  /** Those that were made by the recipe, in its namespace. */
  readonly backups: readonly Backup[];
  /** Whether there is a Backup of this name, in whichever namespace. */
  readonly isThere: (name: ObjectName) => boolean;
}

export interface RequestsDecision {
  readonly prune: readonly Backup[];
  /** The whole status. */
  readonly status: BackupConfigStatus;
}

/**
 * What becomes of the Backups of a recipe for several namespaces. They hold no snapshots: what they had made is pruned in
 * each namespace by the recipe there, and one of which nothing is left goes, too.
 */
export function decideRequests({ config, backups, isThere }: ObservedRequests): RequestsDecision {
  const present = backups
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => endOf(a) - endOf(b));
  const newest = present.findLast(({ status }) => status?.phase === "Succeeded");
  const since = newest ? endOf(newest) : Date.parse(config.status?.lastSuccessfulBackup?.at ?? "");
  const failures = present.filter(
    (backup) => backup.status?.phase === "Failed" && !isCancelled(backup) && !(endOf(backup) <= since),
  );
  const { retention: _, conditions, ...kept } = config.status ?? {};
  const told = conditions?.filter(({ type }) => type !== CONDITIONS.pruningPaused);
  return {
    // The newest one shows that its slot was taken.
    prune: present.slice(0, -1).filter((backup) => isSpent(backup, isThere)),
    status: {
      ...kept,
      ...(told ? { conditions: told } : {}),
      ...(newest ? { lastSuccessfulBackup: { name: newest.metadata.name, at: timestamp(since) } } : {}),
      consecutiveFailures: failures.length,
    },
  };
}

function endOf({ metadata, status }: Backup): number {
  return Date.parse(status?.timing?.endTime ?? metadata.creationTimestamp);
}

/** Whether a schedule asked for it, it has ended, and every Backup that it had made is gone. */
function isSpent(backup: Backup, isThere: ObservedRequests["isThere"]): boolean {
  const { metadata, status } = backup;
  const ended = status?.phase === "Succeeded" || status?.phase === "Failed";
  const scheduled = originOf(backup) === "scheduled" && status?.origin === "scheduled";
  if (!ended || !scheduled || metadata.annotations?.[ANNOTATIONS.hold] === "true") return false;
  const made = (status.backupRefs ?? []).flatMap(({ namespace, name, uid }) =>
    name !== undefined && uid !== undefined ? [{ namespace, name }] : [],
  );
  return made.length > 0 && !made.some(isThere);
}
