import { fireTime } from "../policy/jitter.ts";
import type { Maintenance, RunTimes, Which } from "./maintenance.ts";
import { memoryOf } from "./maintenance_run.ts";
import { foreignOwner } from "./ownership.ts";
import { scheduleRules } from "./plan_run.ts";

/**
 * When the first run is due, or was, since one last succeeded; a full one does what a quick one would have done. Runs
 * that a suspension left out do not count. Nothing is due while it is suspended, nor where the repository is left to
 * somebody else for good.
 */
export function runDueAt(maintenance: Maintenance, which: Which): number | undefined {
  const { metadata, spec, status = {} } = maintenance;
  const rules = scheduleRules(maintenance, which);
  const leftAlone =
    spec.ownership.takeoverPolicy === "Never" && foreignOwner(maintenance, status) !== undefined;
  if (!rules || rules.suspend || leftAlone) return undefined;
  const successes = which === "quick" ? [status.quick, status.full] : [status.full];
  const since = [metadata.creationTimestamp, ...successes.map(succeededAt)];
  const { resumedAt = Number.NEGATIVE_INFINITY } = memoryOf(status);
  const times = since.flatMap((at) => (at === undefined ? [] : Date.parse(at)));
  const slot = rules.cron.next(Math.max(resumedAt, ...times));
  return slot === undefined
    ? undefined
    : fireTime(rules.cron, slot, { uid: rules.uid, window: rules.jitter });
}

/**
 * When a run last succeeded. Where one that failed since began earlier than that, the clock was ahead, and nobody knows
 * when it was.
 */
function succeededAt(times: RunTimes | undefined): string | undefined {
  const { lastSuccessAt = "", lastRunAt = "", consecutiveFailures = 0 } = times ?? {};
  const wasAhead = consecutiveFailures > 0 && Date.parse(lastRunAt) < Date.parse(lastSuccessAt);
  return wasAhead ? undefined : times?.lastSuccessAt;
}
