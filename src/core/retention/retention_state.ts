import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { RetentionRules } from "../policy/retention_rules.ts";
import { type BackupHistory, liesAhead } from "./history.ts";

/** What is kept of backups, as somebody wrote it. */
export interface RetentionSettings extends RetentionRules {
  /** Whose days and weeks count. Default: those of the schedules, where they agree. */
  readonly timezone?: string;
  /** A source that lost more than this has shrunk. */
  readonly maxShrinkPercent: number;
}

/** What is remembered of the backups of one plan, in the status of the object that they are made by. */
export interface RetentionState {
  readonly lastSuccessfulBackup?: { readonly name: string; readonly at: string };
  readonly consecutiveFailures?: number;
  readonly retention?: {
    readonly activeBackupCount?: number;
    readonly lastPruneAt?: string;
    readonly lastPruneDeleted?: number;
    readonly pausedReason?: string;
    /** What would go next, and why. */
    readonly next?: readonly { readonly backup: string; readonly reason: string }[];
  };
  readonly conditions?: readonly Condition[];
}

/** An object whose backups are kept by rules. */
export interface RetentionOwner extends KubeObject {
  readonly status?: RetentionState;
}

export interface PastRequest {
  readonly status: RetentionState | undefined;
  readonly history: BackupHistory;
  /** Failures in a row as somebody counted them, where not all of them are there any more. */
  readonly counted?: number;
  readonly now: number;
}

/** The whole status, with how the last backups ended. */
export function withPast({ status, history, counted = 0, now }: PastRequest): RetentionState {
  const { lastSuccessfulBackup: before, ...kept } = status ?? {};
  const newest = history.successes.toSorted((a, b) => a.at - b.at).at(-1);
  const known = before && !liesAhead(Date.parse(before.at), now) ? before : undefined;
  const last = newest ? { name: newest.name, at: timestamp(newest.at) } : known;
  const since = newest?.at ?? Date.parse(known?.at ?? "");
  const failed = history.failures.filter(({ at, cancelled }) => !cancelled && !(at <= since)).length;
  return {
    ...kept,
    ...(last ? { lastSuccessfulBackup: last } : {}),
    consecutiveFailures: failed === 0 ? 0 : Math.max(failed, counted),
  };
}

/** The same, after so many have gone. */
export function afterPruning(status: RetentionState, deleted: number, now: number): RetentionState {
  if (deleted === 0) return status;
  const pruned = { lastPruneAt: timestamp(now), lastPruneDeleted: deleted };
  return { ...status, retention: { ...status.retention, ...pruned } };
}
