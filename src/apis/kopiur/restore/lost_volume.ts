import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Decision } from "../decision.ts";
import { edition } from "../editions.ts";
import { carryOut } from "../outlook.ts";
import { blocked, type Problem } from "../problem.ts";
import { standOf } from "../verdicts.ts";
import { lostUnderWay, newClaimStep, type Through } from "./new_claim.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { targetName } from "./resolution.ts";
import { decided, held } from "./restore_decision.ts";
import { isWriting } from "./restore_stage.ts";

/** What there is of the volume that a Restore writes into. */
interface Target {
  readonly restore: Restore;
  /** The claim of the target's name. */
  readonly claim?: Claim | undefined;
  readonly through?: Through | undefined;
}

/**
 * Whether the volume that a mover writes into is no longer the target's: what it writes reaches nobody, and another
 * claim of that name holds none of it. A claim that is being deleted never comes back.
 */
export function isLost({ restore, claim, through }: Target): boolean {
  if (!isWriting(restore)) return false;
  const { pvcPrime, pvcRef } = restore.status?.target ?? {};
  // Noted only of a claim that is written itself.
  const { uid } = pvcRef ?? {};
  if (through) return !through.prime || uid !== undefined;
  if (!claim || claim.metadata.deletionTimestamp || pvcPrime !== undefined) return true;
  if (restore.spec.target?.pvc && !isMadeFor(claim, restore.metadata.uid)) return true;
  return uid !== undefined && uid !== claim.metadata.uid;
}

/**
 * What was written went with its volume: another one is not written behind the back of whoever took it away. The run is
 * looked after until it has ended, and its end, whatever it is, is nobody's. An edit begins anew.
 */
export function withoutVolume(observed: ObservedRestore): Decision<RestoreStatus> {
  const { restore, run } = observed;
  const problem = lostProblem(observed);
  if (!run?.ok) return held(observed, problem, { phase: "Restoring" });
  const { task, decision } = run.value;
  const { state, record } = decision;
  const doing = carryOut(run.value);
  if (state.phase !== "Ended") {
    const work = { [task.purpose]: record };
    return decided(observed, standOf(problem), { ...doing, work, phase: "Restoring" });
  }
  const ended: RunRecord = { ...record, edition: edition(restore), outcome: "Failed" };
  const work = { [task.purpose]: ended };
  return decided(observed, standOf({ ...problem, class: "terminal" }), { ...doing, work, phase: "Failed" });
}

/** What is said of that. */
function lostProblem(target: Target & { readonly now: number }): Problem {
  const { restore, through } = target;
  const { pvc } = restore.spec.target ?? {};
  if (!through || !pvc) return claimLost(targetName(restore) ?? "");
  const step = newClaimStep(target, through, pvc);
  return step.type === "Held" ? step.problem : lostUnderWay(pvc);
}

function claimLost(name: string): Problem {
  const message = `PersistentVolumeClaim ${name} was deleted, or replaced by another, while the data was written into it: what was written is gone with it. Create another Restore; or edit this one, once it has failed, to have it tried anew.`;
  return blocked("VolumeLost", message);
}
