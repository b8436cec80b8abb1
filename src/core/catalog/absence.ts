import type { KubeObject } from "../../kube/object.ts";
import { type Condition, mergeConditions } from "../../kube/write/conditions.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { BELIEVED_AFTER } from "./shrinkage.ts";

const TYPE = CONDITIONS.snapshotMissing;

/** An object that stands for snapshots. */
export interface SnapshotHolder extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export type StatusOf<T extends SnapshotHolder> = NonNullable<T["status"]>;

/** What is said of an object whose snapshot is not in its repository's list. */
export function missingCondition(object: SnapshotHolder): Condition | undefined {
  return object.status?.conditions?.find(({ type }) => type === TYPE);
}

/** It is not certain, or no more, that the repository holds all of its snapshots. */
export function isDoubted(object: SnapshotHolder): boolean {
  const { status = "False" } = missingCondition(object) ?? {};
  return status !== "False";
}

/** Somebody was told, and everything that follows from it has followed. */
export function isGivenUp(object: SnapshotHolder): boolean {
  return missingCondition(object)?.status === "True";
}

/** It was missing before, and long enough ago that it cannot be an old list that said so. */
export function isBelievable(object: SnapshotHolder, now: number): boolean {
  const before = missingCondition(object);
  return before !== undefined && now - Date.parse(before.lastTransitionTime) >= BELIEVED_AFTER;
}

/** The status of an object of which these snapshots are missing. */
export function markMissing<T extends SnapshotHolder>(
  object: T,
  ids: readonly string[],
  { believed, now }: { readonly believed: boolean; readonly now: number },
): StatusOf<T> {
  const gone = ids.join(", ");
  const wanted = believed
    ? {
        status: "True" as const,
        reason: REASONS.snapshotMissing,
        message: `The repository does not hold ${gone} any more: somebody deleted it there. Restore from another backup, and delete this one.`,
      }
    : {
        status: "Unknown" as const,
        reason: "NotListed",
        message: `The repository does not list ${gone}. It will be rechecked before it is marked missing.`,
      };
  const conditions = mergeConditions(object.status?.conditions ?? [], [{ type: TYPE, ...wanted }], now);
  return statusWith(object, conditions);
}

/** The status of an object whose snapshots are all there again; undefined where nothing was said of them. */
export function unmark<T extends SnapshotHolder>(object: T): StatusOf<T> | undefined {
  if (!missingCondition(object)) return undefined;
  return statusWith(
    object,
    (object.status?.conditions ?? []).filter(({ type }) => type !== TYPE),
  );
}

/** The object's status with these conditions. */
export function statusWith<T extends SnapshotHolder>(
  object: T,
  conditions: readonly Condition[],
): StatusOf<T> {
  return { ...object.status, conditions } as StatusOf<T>;
}
