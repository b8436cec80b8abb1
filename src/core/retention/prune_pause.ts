import { groupOf } from "../../kube/object.ts";
import { type FinishedRun, PRUNE_GUARD, type PrunePause, pruneGuard } from "../policy/prune_guard.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import type { BackupHistory } from "./history.ts";
import type { RetentionOwner, RetentionSettings } from "./retention_state.ts";

export interface PauseRequest {
  readonly owner: RetentionOwner;
  readonly retention: RetentionSettings;
  readonly history: BackupHistory;
  /** Failures in a row, as the schedules counted them. */
  readonly counted: number;
}

/** Why nothing may be pruned now, in the words of its condition. */
export interface Pause {
  readonly reason: string;
  readonly message: string;
}

/** With which somebody accepts a cause, on the object that the backups are made by: its value names a backup. */
const ANNOTATION_FOR: Readonly<Record<PrunePause["reason"], string>> = {
  SourceShrank: "acknowledge-shrink",
  RepeatedFailures: "acknowledge-failures",
};

/** The backup whose smaller source somebody accepted: later ones are measured by it. */
export function acceptedBackup(owner: RetentionOwner): string | undefined {
  return annotationOf(owner, ANNOTATION_FOR.SourceShrank);
}

/** Whether a source that shrank, or failures in a row, must be looked at by somebody first. */
export function prunePause({ owner, retention, history, counted }: PauseRequest): Pause | undefined {
  const settings = { ...PRUNE_GUARD, smallestShare: 1 - retention.maxShrinkPercent / 100 };
  const acknowledged = {
    SourceShrank: acceptedBackup(owner),
    RepeatedFailures: annotationOf(owner, ANNOTATION_FOR.RepeatedFailures),
  };
  const pauses = runsBySource(history).flatMap(
    (runs) => pruneGuard({ runs, acknowledged, counted, settings }) ?? [],
  );
  const pause = pauses.find(({ reason }) => reason === "SourceShrank") ?? pauses[0];
  if (!pause) return undefined;
  const { reason, message, run } = pause;
  const annotation = `${groupOf(owner)}/${ANNOTATION_FOR[reason]}`;
  return {
    reason,
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. To acknowledge it, set the annotation ${annotation}=${run}.`,
  };
}

/** What each source was like, with the failures, which are of all. */
function runsBySource({ successes, failures }: BackupHistory): readonly (readonly FinishedRun[])[] {
  const failed = failures.map(({ name, at }) => ({ id: name, at, succeeded: false }));
  const sources = new Map<string, FinishedRun[]>();
  for (const { name, at, snapshots, files: all } of successes) {
    const files = snapshots.length === 1 ? all : undefined;
    for (const { path, bytes } of snapshots) {
      const runs = sources.get(path) ?? [];
      runs.push({ id: name, at, succeeded: true, bytes, files });
      sources.set(path, runs);
    }
  }
  return [...sources.values()].map((runs) => [...runs, ...failed]);
}
