import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import type { CatalogAnswer } from "../../wire/report.ts";
import { failedResult, failureOf, finish, nextAttemptAt, toAttempt, toStep } from "./after_attempt.ts";
import { retryDelay } from "./retry.ts";
import type { EndedRun, LostRun } from "./run_state.ts";
import { settle } from "./settlement.ts";
import type { TaskDecision } from "./task_decision.ts";
import { attemptId } from "./task_requests.ts";
import type { TaskLook } from "./task_view.ts";

const UNKNOWN = { phase: "Lost", why: "PodGone", message: "An attempt was lost", logTail: [] } as const;
/** A catalogue lists at most this many. */
const LISTED = 100;

/** What follows from the end of a run that asked the repository about an attempt. */
export function afterSettling(look: TaskLook, state: EndedRun | LostRun): TaskDecision {
  const { task, record } = look;
  const catalog = catalogOf(state);
  if (!catalog || !("snapshot" in task.work.work)) return afterFailedSideRun(look, state, "Settle");
  const run = attemptId(task, record.attempt);
  const found = settle(task.work.work.snapshot, run, catalog);
  // What is whole counts as made only where nobody said that it failed.
  if (found.type === "Made" && !record.reported) {
    return finish(look, {
      outcome: "Succeeded",
      result: found.result,
      logTail: state.logTail,
      settled: true,
    });
  }
  // After a reported failure the wait was before the repository was asked.
  const retryAt = nextAttemptAt(look, record.reported);
  if (retryAt === undefined) return giveUp(look, found.type !== "Nothing");
  const { leftovers = [], ...clean } = record;
  const nothing = found.type === "Nothing" && leftovers.every((id) => id === run);
  return nothing ? toAttempt({ ...look, record: clean }, retryAt) : toStep(look, "CleanUp", look.now);
}

/** What follows from the end of a run that deleted what an attempt had left. */
export function afterCleaning(look: TaskLook, state: EndedRun | LostRun): TaskDecision {
  if (state.phase === "Lost" || state.result.failure) return afterFailedSideRun(look, state, "CleanUp");
  const { leftovers: _, ...record } = look.record;
  const clean = { ...look, record };
  const retryAt = nextAttemptAt(clean, record.reported);
  return retryAt === undefined ? giveUp(clean, false) : toAttempt(clean, retryAt);
}

/** The whole answer: one that was shortened may leave out the very snapshot that is looked for. */
function catalogOf(state: EndedRun | LostRun): CatalogAnswer | undefined {
  if (state.phase === "Lost" || state.result.failure) return undefined;
  const { answer } = state.result;
  if (!answer || !("catalog" in answer)) return undefined;
  const { catalog } = answer;
  return catalog.snapshots.length < Math.min(catalog.found, LISTED) ? undefined : catalog;
}

/** As long as the truth cannot be had, it is asked for again; nothing else is tried meanwhile. */
function afterFailedSideRun(
  look: TaskLook,
  state: EndedRun | LostRun,
  step: "Settle" | "CleanUp",
): TaskDecision {
  const failure = failureOf(state);
  const failures = (look.record.sideFailures ?? 0) + 1;
  const { retry } = ERROR_CLASSES[failure.class];
  const delay = retryDelay({ retry, failures, run: look.request.id });
  if (delay === undefined) {
    const about = attemptId(look.task, look.record.attempt);
    const message =
      `${look.record.lastFailure?.message ?? UNKNOWN.message}; and what the run ${about} left in the ` +
      `repository could not be found out: ${failure.message}`;
    const result = failedResult(look, { ...failure, message });
    return finish(look, { outcome: "Failed", result, logTail: state.logTail, left: true });
  }
  return toStep({ ...look, record: { ...look.record, sideFailures: failures } }, step, look.now + delay);
}

/** What the attempt said at its end has been told; what this run said is nobody's concern. */
function giveUp(look: TaskLook, left: boolean): TaskDecision {
  const failure = look.record.lastFailure ?? failureOf(UNKNOWN);
  const result = failedResult(look, failure);
  return finish(look, { outcome: "Failed", result, logTail: [], left });
}
