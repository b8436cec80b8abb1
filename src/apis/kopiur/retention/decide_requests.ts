import { isCancelled, isHeld } from "../../../core/backup/backup_annotations.ts";
import { withoutRetention } from "../../../core/retention/decide_retention.ts";
import { liesAhead } from "../../../core/retention/history.ts";
import { type RetentionState, withPast } from "../../../core/retention/retention_state.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type Found, isPresent } from "../../../kube/cache/found.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { originOf } from "../backup/backup_labels.ts";
import { mayHoldSnapshots } from "../children/child.ts";

export interface ObservedRequests {
  /** One that is about claims of several namespaces. */
  readonly config: BackupConfig;
  /** Those that the BackupConfig made, in its namespace. */
  readonly backups: readonly Backup[];
  /** The Backup of this name, in whichever namespace; `unknown` where nobody looks. */
  readonly find: (name: ObjectName) => Found<Backup>;
  readonly now: number;
}

export interface RequestsDecision {
  readonly prune: readonly Backup[];
  /** The whole status. */
  readonly status: RetentionState;
}

/**
 * What becomes of the Backups of a BackupConfig for several namespaces. They hold no snapshots: what they had made is
 * pruned in each namespace by the BackupConfig there, and one of which nothing is left goes, too.
 */
export function decideRequests({ config, backups, find, now }: ObservedRequests): RequestsDecision {
  const present = backups
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => endOf(a) - endOf(b));
  const ends = present.map((backup) => ({
    backup,
    name: backup.metadata.name,
    at: endOf(backup),
    cancelled: isCancelled(backup),
  }));
  const history = {
    successes: ends
      .filter(({ backup, at }) => backup.status?.phase === "Succeeded" && !liesAhead(at, now))
      .map((end) => ({ ...end, origin: originOf(end.backup), held: false, snapshots: [] })),
    failures: ends.filter(({ backup }) => backup.status?.phase === "Failed"),
  };
  return {
    // The newest one shows that its slot was taken.
    prune: present.slice(0, -1).filter((backup) => isSpent(backup, find)),
    status: withoutRetention(withPast({ status: config.status, history, now })),
  };
}

function endOf({ metadata, status }: Backup): number {
  return Date.parse(status?.timing?.endTime ?? metadata.creationTimestamp);
}

/**
 * Whether a schedule asked for it, it has ended, and of what it had made only Backups are left that hold no snapshots,
 * which go with it. Where none ever did, it is one of the failures that the schedule's own limit is for.
 */
function isSpent(backup: Backup, find: ObservedRequests["find"]): boolean {
  const { status } = backup;
  const ended = status?.phase === "Succeeded" || status?.phase === "Failed";
  const scheduled = originOf(backup) === "scheduled" && status?.origin === "scheduled";
  if (!ended || !scheduled || isHeld(backup)) return false;
  const made = (status.backupRefs ?? []).filter(({ uid }) => uid !== undefined);
  const left = made.flatMap(({ namespace, name = "" }) => {
    const found = find({ namespace, name });
    return found === "absent" ? [] : [found];
  });
  if (left.some((one) => !isPresent(one) || isHeld(one) || !isEmpty(one))) return false;
  return left.length === 0 ? made.length > 0 : made.some(mayHoldSnapshots);
}

/** Whether it failed and holds nothing. One that is tried again may yet. */
function isEmpty({ status }: Backup): boolean {
  return status?.phase === "Failed" && (status.snapshots?.length ?? 0) === 0;
}
