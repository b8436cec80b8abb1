import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import { failedResult, finish, resultOf } from "./after_attempt.ts";
import type { EndedRun, LostRun } from "./run_state.ts";
import { mayHaveLeft } from "./settlement.ts";
import type { RunIntent, TaskDecision } from "./task_decision.ts";
import { LOOK_AGAIN, stateNow, type TaskLook } from "./task_view.ts";
import { reapIfDead } from "./tidy.ts";
import { noteUnseen, withUnseen } from "./unseen_runs.ts";

/** Somebody wants it to end: what runs is told to, and then it is over, unless it had succeeded. */
export function cancelling(look: TaskLook): TaskDecision | undefined {
  const { cancel, state, record, run, request } = look;
  if (!cancel) return undefined;
  const isWork = record.step === "Work";
  const over = state.phase === "Ended" || state.phase === "Lost";
  if (isWork && over) return cancelled(noteUnseen(look), state);
  if (!isWork || isIdle(look)) {
    // What works now is told to end, and nobody will look whether it has.
    const known = over || isIdle(look) ? noteUnseen(look).record : withUnseen(record, request.id);
    const failure = cancelledFailure("Cancelled before it was done");
    const intents: RunIntent[] = run.job ? [{ type: "Remove", job: run.job }] : [];
    const end = finish(
      { ...look, record: known },
      {
        outcome: "Cancelled",
        result: failedResult(look, failure),
        logTail: run.report.logTail,
        left: !isWork,
      },
    );
    return { ...end, intents };
  }
  const { job } = run;
  const intents: RunIntent[] = !job || job.spec?.suspend ? [] : [{ type: "Cancel", job }];
  return {
    record,
    state: stateNow(look),
    intents: [...intents, ...reapIfDead(run)],
    wakeAt: look.now + LOOK_AGAIN,
  };
}

function cancelled(look: TaskLook, state: EndedRun | LostRun): TaskDecision {
  const { logTail } = state;
  const left = mayHaveLeft(look.task, state, look.record);
  const succeeded = state.phase === "Ended" && !state.result.failure;
  if (succeeded && !left) return finish(look, { outcome: "Succeeded", result: state.result, logTail });
  const told = state.phase === "Ended" && !succeeded;
  const result = told ? resultOf(look, state) : failedResult(look, cancelledFailure("Cancelled"));
  const record = { ...look.record, failedAttempt: look.record.attempt };
  return finish({ ...look, record }, { outcome: "Cancelled", result, logTail, left });
}

function cancelledFailure(message: string) {
  return { class: "Cancelled", message, remedy: ERROR_CLASSES.Cancelled.remedy } as const;
}

/** Nothing of the run works, or could begin to. */
function isIdle({ state }: TaskLook): boolean {
  return state.phase === "Absent" || (state.phase === "Preparing" && state.suspended);
}
