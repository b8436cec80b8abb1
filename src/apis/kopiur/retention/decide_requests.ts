import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { type Found, isPresent } from "../admission/lookup.ts";
import { originOf } from "../backup/backup_labels.ts";
import { isCancelled, isHeld } from "../backup/backup_wishes.ts";
import { mayHoldSnapshots } from "../backup/fan/may_hold_snapshots.ts";
import { liesAhead } from "./history.ts";

export interface ObservedRequests {
  /** One that is about claims of several namespaces. */
  readonly config: BackupConfig;
  /** Those that were made by the recipe, in its namespace. */
  readonly backups: readonly Backup[];
  /** The Backup of this name, in whichever namespace; `unknown` where nobody looks. */
  readonly find: (name: ObjectName) => Found<Backup>;
  readonly now: number;
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
export function decideRequests({ config, backups, find, now }: ObservedRequests): RequestsDecision {
  const present = backups
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => endOf(a) - endOf(b));
  const newest = present.findLast(
    (backup) => backup.status?.phase === "Succeeded" && !liesAhead(endOf(backup), now),
  );
  const { retention: _, conditions, lastSuccessfulBackup: before, ...kept } = config.status ?? {};
  const known = before && !liesAhead(Date.parse(before.at), now) ? before : undefined;
  const last = newest ? { name: newest.metadata.name, at: timestamp(endOf(newest)) } : known;
  const since = newest ? endOf(newest) : Date.parse(known?.at ?? "");
  const failures = present.filter(
    (backup) => backup.status?.phase === "Failed" && !isCancelled(backup) && !(endOf(backup) <= since),
  );
  const told = conditions?.filter(({ type }) => type !== CONDITIONS.pruningPaused);
  return {
    // The newest one shows that its slot was taken.
    prune: present.slice(0, -1).filter((backup) => isSpent(backup, find)),
    status: {
      ...kept,
      ...(told ? { conditions: told } : {}),
      ...(last ? { lastSuccessfulBackup: last } : {}),
      consecutiveFailures: failures.length,
    },
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
