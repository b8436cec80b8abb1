import { mergeConditions } from "../../kube/write/conditions.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { type SnapshotHolder, type StatusOf, statusWith } from "./absence.ts";

const TYPE = CONDITIONS.snapshotPinned;

const PINNED = {
  type: TYPE,
  status: "True",
  reason: "Pinned",
  message:
    "Somebody pinned a snapshot of it in the repository, so retention leaves it alone. Who deletes the backup deletes the snapshot all the same.",
} as const;

/** Somebody pinned a snapshot of it in the repository, as far as its list is known. */
export function isPinned({ status }: SnapshotHolder): boolean {
  return status?.conditions?.some(({ type, status: said }) => type === TYPE && said === "True") ?? false;
}

/** The status of an object whose snapshots are pinned, or not any more; undefined where that is said already. */
export function withPinning<T extends SnapshotHolder>(
  object: T,
  pinned: boolean,
  now: number,
): StatusOf<T> | undefined {
  if (isPinned(object) === pinned) return undefined;
  const present = object.status?.conditions ?? [];
  const conditions = pinned
    ? mergeConditions(present, [PINNED], now)
    : present.filter(({ type }) => type !== TYPE);
  return statusWith(object, conditions);
}
