import type { Decision } from "../reconcile/decision.ts";
import { blocked, type Problem } from "../reconcile/problem.ts";
import { type ReadyState, readyStateOf } from "../reconcile/ready_state.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { carryOut } from "../reconcile/task_plan.ts";
import { type Claim, isMadeFor } from "../volumes/claim_request.ts";
import { claimExists } from "../volumes/ensure_claim.ts";
import type { RunRecord } from "../work/run_record.ts";
import { EMPTY, UNTOUCHED } from "./answer.ts";
import { clearance, existingClaimProblem } from "./in_place.ts";
import { lostUnderWay, newClaimStep, type Through } from "./new_claim.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { reserving } from "./reserving.ts";
import {
  claimRequest,
  type NewClaim,
  type Pinned,
  type Restore,
  type RestoreState,
  type RestoreView,
  targetName,
} from "./restore.ts";
import { decided, held, type RestoreFields } from "./restore_decision.ts";
import { isFilled, isWriting } from "./restore_stage.ts";
import { cleared, writtenWhenFree } from "./writing.ts";

/** What follows for the claim that gets the data, once it is known what that is. */
export function intoClaim(observed: ObservedRestore, pinned: Pinned): Decision<RestoreState> {
  const { pvc, pvcRef } = observed.restore.spec.target ?? {};
  if (isLost(observed)) return withoutVolume(observed);
  if (pvc) return intoNewClaim(observed, pinned, pvc);
  return pvcRef ? intoExistingClaim(observed, pinned, pvcRef.name) : { intents: [] };
}

function intoNewClaim(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreState> {
  const { through } = observed;
  return through ? throughPrime(observed, through, pinned, target) : intoItself(observed, pinned, target);
}

/** The claim is made for a volume that nobody can mount, and which becomes its own once the data is in it. */
function throughPrime(
  observed: ObservedRestore,
  through: Through,
  pinned: Pinned,
  target: NewClaim,
): Decision<RestoreState> {
  const { restore, run } = observed;
  const { prime } = through;
  const { problem, standing, intents, wakeAt } = newClaimStep(observed, through, target);
  // That there was one says of a claim with a volume that it waits for that very volume.
  const name = prime?.metadata.name ?? restore.status?.target?.pvcPrime;
  const pvcPrime = name !== undefined && standing?.phase !== "Completed" ? { pvcPrime: name } : {};
  const place = { resolved: pinned, target: { pvcRef: { name: target.name }, ...pvcPrime } };
  const fields = { ...reported(restore), ...place };
  if (problem && !isWriting(restore))
    return held(observed, problem, { ...fields, ...keptRestoring(restore) });
  if (!standing || isWriting(restore)) {
    const decision = writtenWhenFree(observed, place);
    return problem || standing ? decision : reserving(observed, decision, intents);
  }
  // Before the volume is filled there is nothing to tidy up, and no run may begin behind what is said here.
  const tidying = isFilled(restore) && run?.ok ? carryOut(run.value).intents : [];
  const { readyState, phase } = standing;
  return decided(observed, readyState, { ...fields, phase, intents: [...intents, ...tidying], wakeAt });
}

/** What the run had to say when it ended, and is still to be said when the volume is handed over. */
function reported(restore: Restore): Partial<RestoreState> {
  const { conditions: _, observedGeneration: __, phase: ___, ...status } = restore.status ?? {};
  return isFilled(restore) ? status : {};
}

/** Where volumes cannot be handed over, the claim itself is written. */
function intoItself(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreState> {
  const { restore, claim, use } = observed;
  const place = directly(target.name, claim, pinned);
  if (claim && (!isMadeFor(claim, restore.metadata.uid) || claim.metadata.deletionTimestamp)) {
    const { reason, message } = claimExists(claim);
    return held(observed, blocked(reason, message), { ...place, ...keptRestoring(restore) });
  }
  if (isFilled(restore)) return held(observed, filledElsewhere(restore, target.name), place);
  if (!claim) {
    // Whoever waits for the claim would have it as soon as it is there.
    const needed = use && clearance(observed, use);
    if (needed) return cleared(observed, place, needed);
    const readyState: ReadyState = {
      state: "reconciling",
      reason: "CreatingClaim",
      message: `The claim ${target.name} is created.`,
    };
    const request = claimRequest(restore, target);
    return decided(observed, readyState, {
      ...place,
      phase: "Resolving",
      intents: [{ type: "EnsureClaim", request }],
    });
  }
  if (pinned.noSnapshot) return decided(observed, EMPTY, { ...place, phase: "Completed" });
  return writtenWhenFree(observed, place);
}

function intoExistingClaim(observed: ObservedRestore, pinned: Pinned, name: string): Decision<RestoreState> {
  const { restore, claim } = observed;
  const place = directly(name, claim, pinned);
  if (isFilled(restore)) return held(observed, filledElsewhere(restore, name), place);
  const problem = observed.targetProblem ?? existingClaimProblem(name, claim, observed.api.words);
  if (problem) return held(observed, problem, place);
  if (pinned.noSnapshot) return decided(observed, UNTOUCHED, { ...place, phase: "Completed" });
  return writtenWhenFree(observed, place);
}

/** A claim that is written itself is noted with its UID: what is written is in no other of its name. */
function directly(name: string, claim: Claim | undefined, resolved: Pinned): RestoreFields {
  return { resolved, target: { pvcRef: { name, ...(claim ? { uid: claim.metadata.uid } : {}) } } };
}

/** As long as a volume is written, or waits filled for its claim, an edit of the target would leave the data behind. */
function keptRestoring(restore: Restore): Pick<RestoreState, "phase"> {
  return isFilled(restore) || isWriting(restore) ? { phase: "Restoring" } : {};
}

/** A claim that is written itself has completed in the moment in which its run has. */
function filledElsewhere({ kind }: Restore, name: string): Problem {
  const message = `The data was written into another volume than that of PersistentVolumeClaim ${name}, which is left as it is. Put the target back as it was, or create another ${kind}.`;
  return blocked("FilledElsewhere", message);
}

/** What there is of the volume that a restore writes into. */
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
export function withoutVolume(observed: ObservedRestore): Decision<RestoreState> {
  const { restore, run } = observed;
  const problem = lostProblem(observed);
  if (!run?.ok) return held(observed, problem, { phase: "Restoring" });
  const { task, decision } = run.value;
  const { state, record } = decision;
  const doing = carryOut(run.value);
  if (state.phase !== "Ended") {
    const work = { [task.purpose]: record };
    return decided(observed, readyStateOf(problem), { ...doing, work, phase: "Restoring" });
  }
  const ended: RunRecord = { ...record, edition: specFingerprint(restore), outcome: "Failed" };
  const work = { [task.purpose]: ended };
  return decided(observed, readyStateOf({ ...problem, class: "terminal" }), {
    ...doing,
    work,
    phase: "Failed",
  });
}

/** What is said of that. */
function lostProblem(target: Target & RestoreView): Problem {
  const { restore, through } = target;
  const { pvc } = restore.spec.target ?? {};
  if (!through || !pvc) return claimLost(target);
  return newClaimStep(target, through, pvc).problem ?? lostUnderWay(target, pvc);
}

function claimLost({ restore, api }: RestoreView): Problem {
  const { tryAgain } = api.words;
  const again = tryAgain === undefined ? "" : `; or, once this one has failed, ${tryAgain}`;
  const message = `PersistentVolumeClaim ${targetName(restore) ?? ""} was deleted, or replaced by another, while the data was written into it: what was written is gone with it. Create another ${restore.kind}${again}.`;
  return blocked("VolumeLost", message);
}
