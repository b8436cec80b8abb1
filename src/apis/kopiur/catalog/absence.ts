import { BELIEVED_AFTER } from "../../../core/catalog/shrinkage.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { type Condition, mergeConditions } from "../../../kube/write/conditions.ts";

const TYPE = CONDITIONS.snapshotMissing;

/** What is said of a Backup whose snapshot is not in its repository's list. */
export function missingCondition(backup: Backup): Condition | undefined {
  return backup.status?.conditions?.find(({ type }) => type === TYPE);
}

/** It is not certain, or no more, that the repository holds all of its snapshots. */
export function isDoubted(backup: Backup): boolean {
  const { status = "False" } = missingCondition(backup) ?? {};
  return status !== "False";
}

/** Somebody was told, and everything that follows from it has followed. */
export function isGivenUp(backup: Backup): boolean {
  return missingCondition(backup)?.status === "True";
}

/** It was missing before, and long enough ago that it cannot be an old list that said so. */
export function isBelievable(backup: Backup, now: number): boolean {
  const before = missingCondition(backup);
  return before !== undefined && now - Date.parse(before.lastTransitionTime) >= BELIEVED_AFTER;
}

/** The status of a Backup of which these snapshots are missing. */
export function markMissing(
  backup: Backup,
  ids: readonly string[],
  { believed, now }: { readonly believed: boolean; readonly now: number },
): BackupStatus {
  const gone = ids.join(", ");
  const wanted = believed
    ? {
        status: "True" as const,
        reason: REASONS.snapshotMissing,
        message: `The repository does not hold ${gone} any more: somebody deleted it there. Restore from another Backup, and delete this one.`,
      }
    : {
        status: "Unknown" as const,
        reason: "NotListed",
        message: `The repository does not list ${gone}. Nothing follows from that until it has been looked for again.`,
      };
  return {
    ...backup.status,
    conditions: mergeConditions(backup.status?.conditions ?? [], [{ type: TYPE, ...wanted }], now),
  };
}

/** The status of a Backup whose snapshots are all there again; undefined where nothing was said of them. */
export function unmark(backup: Backup): BackupStatus | undefined {
  if (!missingCondition(backup)) return undefined;
  const conditions = (backup.status?.conditions ?? []).filter(({ type }) => type !== TYPE);
  return { ...backup.status, conditions };
}
