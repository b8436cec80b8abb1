import { mergeConditions } from "../../kube/write/conditions.ts";
import { unreachable } from "../../lib/result.ts";
import type { Decision } from "../reconcile/decision.ts";
import { recordOf } from "../reconcile/records.ts";
import { carryOut } from "../reconcile/task_plan.ts";
import { answered } from "./answer.ts";
import { broughtBack, clearance } from "./in_place.ts";
import { intoClaim } from "./into_claim.ts";
import { markedClaim } from "./marked_claim.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { type Ask, askPurpose } from "./resolution.ts";
import type { RestoreState } from "./restore.ts";
import { decided, held, missing, stillWaiting, withoutRun } from "./restore_decision.ts";
import { hasFailed, hasGivenUp, hasJob } from "./restore_stage.ts";
import { failedFields } from "./restore_status.ts";
import { RESTORE, repositoryAway } from "./restore_tasks.ts";
import { targetIncomplete } from "./target_incomplete.ts";
import { cleared, watched } from "./writing.ts";

/** What follows for a restore with a target. */
export function decideRestore(observed: ObservedRestore): Decision<RestoreState> {
  const decision = madeUpFor(observed, watched(observed, restoring(observed)));
  return markedClaim(observed, broughtBack(observed, decision));
}

/**
 * The decision, with what is said of a volume that was left incomplete taken back once another restore has filled it, or
 * somebody takes it as it is.
 */
function madeUpFor(
  { restore, later, now }: ObservedRestore,
  decision: Decision<RestoreState>,
): Decision<RestoreState> {
  const status = decision.status ?? restore.status;
  if (!status || !later || status.phase !== "Failed") return decision;
  const [wanted] = targetIncomplete(restore, status, later);
  if (wanted?.status !== "False") return decision;
  return {
    ...decision,
    status: { ...status, conditions: mergeConditions(status.conditions ?? [], [wanted], now) },
  };
}

function restoring(observed: ObservedRestore): Decision<RestoreState> {
  const { restore, resolution, run } = observed;
  // What was restored is somebody's data by now, whatever is edited.
  if (restore.status?.phase === "Completed") return run?.ok ? carryOut(run.value) : { intents: [] };
  // Whatever comes now comes too late: nobody expects a volume to be written days later.
  if (hasGivenUp(restore)) return { intents: [] };
  // So it is when its claims are tidied up after it: they are not made again for it.
  if (hasFailed(restore, recordOf(restore.status, RESTORE)))
    return run?.ok ? carryOut(run.value) : { intents: [] };
  if (!resolution.ok) {
    return observed.isUnderWay ? held(observed, resolution.error) : missing(observed, resolution.error);
  }
  if (resolution.value.type === "Ask") return ask(observed, resolution.value);
  return intoClaim(observed, resolution.value.pinned);
}

function ask(observed: ObservedRestore, asked: Ask): Decision<RestoreState> {
  const { restore, asking, use, now } = observed;
  const needed = use && clearance(observed, use);
  if (needed) return cleared(observed, {}, needed);
  if (!asking) return { intents: [] };
  if (!asking.ok) {
    const known = recordOf(restore.status, askPurpose(restore, asked));
    return hasFailed(restore, known) ? { intents: [] } : withoutRun(observed, asking.error, hasJob(known));
  }
  const { record, state } = asking.value.decision;
  const doing = { ...carryOut(asking.value), work: { [asking.value.task.purpose]: record } };
  const away = repositoryAway(asking.value, hasJob(record));
  if (away) return missing(observed, away, { ...doing, phase: "Resolving" });
  const answer = answered(observed, asked, asking.value);
  switch (answer.type) {
    case "Asking":
      return decided(observed, answer.readyState, {
        ...doing,
        ...stillWaiting(restore, asking.value),
        phase: "Resolving",
      });
    case "Over":
      return carryOut(asking.value);
    case "Failed": {
      const ended = answer.run && state.phase === "Ended" ? state : undefined;
      const failed = ended ? failedFields(observed, asking.value, ended) : {};
      return decided(observed, answer.readyState, { ...doing, phase: "Failed", ...failed });
    }
    case "Pinned":
      return decided(observed, answer.readyState, {
        ...doing,
        wakeAt: now,
        phase: "Resolving",
        resolved: answer.pinned,
      });
    default:
      return unreachable(answer);
  }
}
