import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { unreachable } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { carryOut } from "../outlook.ts";
import { recordOf } from "../records.ts";
import { answered } from "./answer.ts";
import { goesOn, stillWaiting } from "./awaited.ts";
import { intoClaim } from "./into_claim.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import type { Resolution } from "./resolution.ts";
import { decided, held, missing, withoutRun } from "./restore_decision.ts";
import { repositoryAway } from "./restore_outlook.ts";
import { failedFields } from "./restore_progress.ts";
import { hasFailed, hasGivenUp, hasJob } from "./restore_stage.ts";
import { askPurpose, RESTORE } from "./restore_tasks.ts";
import { broughtBack } from "./scaled_workloads.ts";
import { watched } from "./used_meanwhile.ts";

type Ask = Extract<Resolution, { readonly type: "Ask" }>;

/** What follows for a Restore with a target. */
export function decideRestore(observed: ObservedRestore): Decision<RestoreStatus> {
  return broughtBack(observed, watched(observed, restoring(observed)));
}

function restoring(observed: ObservedRestore): Decision<RestoreStatus> {
  const { restore, resolution, run } = observed;
  // What was restored is somebody's data by now, whatever is edited.
  if (restore.status?.phase === "Completed") return run?.ok ? carryOut(run.value) : { intents: [] };
  // Whatever comes now comes too late: nobody expects a volume to be written days later.
  if (hasGivenUp(restore)) return { intents: [] };
  // So it is when its claims are tidied up after it: they are not made again for it.
  if (hasFailed(restore, recordOf(restore.status, RESTORE)))
    return run?.ok ? carryOut(run.value) : { intents: [] };
  if (!resolution.ok) {
    return goesOn(observed) ? held(observed, resolution.error) : missing(observed, resolution.error);
  }
  if (resolution.value.type === "Ask") return ask(observed, resolution.value);
  return intoClaim(observed, resolution.value.pinned);
}

function ask(observed: ObservedRestore, asked: Ask): Decision<RestoreStatus> {
  const { restore, asking, now } = observed;
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
      return decided(observed, answer.stand, {
        ...doing,
        ...stillWaiting(restore, asking.value),
        phase: "Resolving",
      });
    case "Over":
      return carryOut(asking.value);
    case "Failed": {
      const ended = answer.run && state.phase === "Ended" ? state : undefined;
      const failed = ended ? failedFields(observed, asking.value, ended) : {};
      return decided(observed, answer.stand, { ...doing, phase: "Failed", ...failed });
    }
    case "Pinned":
      return decided(observed, answer.stand, {
        ...doing,
        wakeAt: now,
        phase: "Resolving",
        resolved: answer.pinned,
      });
    default:
      return unreachable(answer);
  }
}
