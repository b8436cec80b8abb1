import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { claimExists } from "../../../core/volumes/ensure_claim.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Decision } from "../decision.ts";
import { carryOut } from "../outlook.ts";
import { blocked, type Problem } from "../problem.ts";
import type { Stand } from "../verdicts.ts";
import { EMPTY, UNTOUCHED } from "./answer.ts";
import { clearance, existingClaimProblem } from "./in_place.ts";
import { isLost, withoutVolume } from "./lost_volume.ts";
import { newClaimStep, type Through } from "./new_claim.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { reserving } from "./reserving.ts";
import type { Pinned } from "./resolution.ts";
import { decided, held, type RestoreFields } from "./restore_decision.ts";
import { isFilled, isWriting } from "./restore_stage.ts";
import { claimRequest, type NewClaim } from "./restore_target.ts";
import { cleared, writtenWhenFree } from "./written_when_free.ts";

/** What follows for the claim that gets the data, once it is known what that is. */
export function intoClaim(observed: ObservedRestore, pinned: Pinned): Decision<RestoreStatus> {
  const { pvc, pvcRef } = observed.restore.spec.target ?? {};
  if (isLost(observed)) return withoutVolume(observed);
  if (pvc) return intoNewClaim(observed, pinned, pvc);
  return pvcRef ? intoExistingClaim(observed, pinned, pvcRef.name) : { intents: [] };
}

function intoNewClaim(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreStatus> {
  const { through } = observed;
  return through ? throughPrime(observed, through, pinned, target) : intoItself(observed, pinned, target);
}

/** The claim is made for a volume that nobody can mount, and which becomes its own once the data is in it. */
function throughPrime(
  observed: ObservedRestore,
  through: Through,
  pinned: Pinned,
  target: NewClaim,
): Decision<RestoreStatus> {
  const { restore, run } = observed;
  const { prime } = through;
  const step = newClaimStep(observed, through, target);
  const over = step.type === "Stands" && step.fields.phase === "Completed";
  // That there was one says of a claim with a volume that it waits for that very volume.
  const name = prime?.metadata.name ?? restore.status?.target?.pvcPrime;
  const pvcPrime = name !== undefined && !over ? { pvcPrime: name } : {};
  const place = { resolved: pinned, target: { pvcRef: { name: target.name }, ...pvcPrime } };
  if (step.type === "Held" && !isWriting(restore))
    return held(observed, step.problem, { ...step.fields, ...place, ...keptRestoring(restore) });
  if (step.type === "Stands" && !isWriting(restore)) {
    const { stand, fields, intents, wakeAt } = step;
    // Before the volume is filled there is nothing to tidy up, and no run may begin behind what is said here.
    const tidying = isFilled(restore) && run?.ok ? carryOut(run.value).intents : [];
    return decided(observed, stand, { ...fields, ...place, intents: [...intents, ...tidying], wakeAt });
  }
  const decision = writtenWhenFree(observed, place);
  return step.type === "Write" ? reserving(observed, decision, step.intents) : decision;
}

/** Where volumes cannot be handed over, the claim itself is written. */
function intoItself(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreStatus> {
  const { restore, claim, use } = observed;
  const place = directly(target.name, claim, pinned);
  if (claim && (!isMadeFor(claim, restore.metadata.uid) || claim.metadata.deletionTimestamp)) {
    const { reason, message } = claimExists(claim);
    return held(observed, blocked(reason, message), { ...place, ...keptRestoring(restore) });
  }
  if (isFilled(restore)) return held(observed, filledElsewhere(target.name), place);
  if (!claim) {
    // Whoever waits for the claim would have it as soon as it is there.
    const needed = use && clearance(observed, use);
    if (needed) return cleared(observed, place, needed);
    const stand: Stand = {
      state: "reconciling",
      reason: "CreatingClaim",
      message: `The claim ${target.name} is created.`,
    };
    const request = claimRequest(restore, target);
    return decided(observed, stand, {
      ...place,
      phase: "Resolving",
      intents: [{ type: "EnsureClaim", request }],
    });
  }
  if (pinned.noSnapshot) return decided(observed, EMPTY, { ...place, phase: "Completed" });
  return writtenWhenFree(observed, place);
}

function intoExistingClaim(observed: ObservedRestore, pinned: Pinned, name: string): Decision<RestoreStatus> {
  const { restore, claim } = observed;
  const place = directly(name, claim, pinned);
  if (isFilled(restore)) return held(observed, filledElsewhere(name), place);
  const problem = existingClaimProblem(name, claim);
  if (problem) return held(observed, problem, place);
  if (pinned.noSnapshot) return decided(observed, UNTOUCHED, { ...place, phase: "Completed" });
  return writtenWhenFree(observed, place);
}

/** A claim that is written itself is noted with its UID: what is written is in no other of its name. */
function directly(name: string, claim: Claim | undefined, resolved: Pinned): RestoreFields {
  return { resolved, target: { pvcRef: { name, ...(claim ? { uid: claim.metadata.uid } : {}) } } };
}

/** As long as a volume is written, or waits filled for its claim, an edit of the target would leave the data behind. */
function keptRestoring(restore: Restore): Pick<RestoreStatus, "phase"> {
  return isFilled(restore) || isWriting(restore) ? { phase: "Restoring" } : {};
}

/** A claim that is written itself has completed in the moment in which its run has. */
function filledElsewhere(name: string): Problem {
  const message = `The data was written into another volume than that of PersistentVolumeClaim ${name}, which is left as it is. Put the target back as it was, or create another Restore.`;
  return blocked("FilledElsewhere", message);
}
