import {
  type FinishedRun,
  PRUNE_GUARD,
  type PrunePause,
  pruneGuard,
} from "../../../core/policy/prune_guard.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { RetentionSpec } from "../../../kinds/kopiur/parts.ts";
import type { History } from "./history.ts";

export interface PauseRequest {
  readonly config: BackupConfig;
  readonly retention: RetentionSpec;
  readonly history: History;
  /** Failures in a row, as the schedules counted them. */
  readonly counted: number;
}

/** Why nothing may be pruned now, in the words of its condition. */
export interface Pause {
  readonly reason: string;
  readonly message: string;
}

const ANNOTATION_FOR: Readonly<Record<PrunePause["reason"], string>> = {
  SourceShrank: ANNOTATIONS.acknowledgeShrink,
  RepeatedFailures: ANNOTATIONS.acknowledgeFailures,
};

/** Whether a source that shrank, or failures in a row, must be looked at by somebody first. */
export function prunePause({ config, retention, history, counted }: PauseRequest): Pause | undefined {
  const { annotations = {} } = config.metadata;
  const settings = { ...PRUNE_GUARD, smallestShare: 1 - retention.maxShrinkPercent / 100 };
  const acknowledged = {
    SourceShrank: annotations[ANNOTATIONS.acknowledgeShrink],
    RepeatedFailures: annotations[ANNOTATIONS.acknowledgeFailures],
  };
  const pauses = runsBySource(history).flatMap(
    (runs) => pruneGuard({ runs, acknowledged, counted, settings }) ?? [],
  );
  const pause = pauses.find(({ reason }) => reason === "SourceShrank") ?? pauses[0];
  if (!pause) return undefined;
  const { reason, message, run } = pause;
  return {
    reason,
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. To acknowledge it, set the annotation ${ANNOTATION_FOR[reason]}=${run}.`,
  };
}

/** What each source was like, with the failures, which are of all. */
function runsBySource({ successes, failures }: History): readonly (readonly FinishedRun[])[] {
  const failed = failures.map(({ name, at }) => ({ id: name, at, succeeded: false }));
  const sources = new Map<string, FinishedRun[]>();
  for (const { name, at, snapshots, backup } of successes) {
    const files = snapshots.length === 1 ? backup.status?.stats?.files : undefined;
    for (const { identity, sizeBytes } of snapshots) {
      const runs = sources.get(identity.sourcePath) ?? [];
      runs.push({ id: name, at, succeeded: true, bytes: sizeBytes, files });
      sources.set(identity.sourcePath, runs);
    }
  }
  return [...sources.values()].map((runs) => [...runs, ...failed]);
}
