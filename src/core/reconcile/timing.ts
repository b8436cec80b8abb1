import { timestamp } from "../../kube/write/timestamp.ts";
import type { Result } from "../../wire/report.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { TimingStatus } from "./status_parts.ts";

/** When a task began and ended: all of its attempts, by the operator's clock, and at least as long as the last one. */
export function timingOf(
  record: RunRecord,
  result: Result | undefined,
  now: number,
): TimingStatus | undefined {
  const started = Date.parse(record.startedAt ?? result?.startedAt ?? "");
  if (Number.isNaN(started)) return undefined;
  if (record.outcome === undefined) return { startTime: timestamp(started) };
  const ended = Math.max(now, started);
  return {
    startTime: timestamp(started),
    endTime: timestamp(ended),
    durationSeconds: Math.round((ended - started) / 1000),
  };
}
