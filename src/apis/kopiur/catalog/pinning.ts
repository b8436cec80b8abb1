import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { mergeConditions } from "../../../kube/write/conditions.ts";

const TYPE = CONDITIONS.snapshotPinned;

const PINNED = {
  type: TYPE,
  status: "True",
  reason: "Pinned",
  message:
    "Somebody pinned a snapshot of it in the repository, so retention leaves it alone. Who deletes the Backup deletes the snapshot all the same.",
} as const;

/** Somebody pinned a snapshot of it in the repository, as far as its list is known. */
export function isPinned({ status }: Backup): boolean {
  return status?.conditions?.some(({ type, status: said }) => type === TYPE && said === "True") ?? false;
}

/** The status of a Backup whose snapshots are pinned, or not any more; undefined where that is said already. */
export function withPinning(backup: Backup, pinned: boolean, now: number): BackupStatus | undefined {
  if (isPinned(backup) === pinned) return undefined;
  const present = backup.status?.conditions ?? [];
  const conditions = pinned
    ? mergeConditions(present, [PINNED], now)
    : present.filter(({ type }) => type !== TYPE);
  return { ...backup.status, conditions };
}
