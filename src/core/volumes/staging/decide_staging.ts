import { unreachable } from "../../../lib/result.ts";
import { cleanUp } from "./clean_up.ts";
import { concluded } from "./conclusion.ts";
import { copyStep } from "./copy_step.ts";
import { directStep } from "./direct_step.ts";
import type { ObservedSource, SnapshotOffer } from "./observed_staging.ts";
import { snapshotStep } from "./snapshot_step.ts";
import { stagedOf } from "./staged_of.ts";
import type { StagingDecision } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";
import type { StagingStep } from "./staging_step.ts";
import { allMadeTemporary } from "./temporary.ts";

export interface StagingQuestion {
  readonly request: StagingRequest;
  readonly observed: ObservedSource;
  readonly offer: SnapshotOffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How one claim becomes something that a mover can mount. */
export function stagingDecision({ request, observed, offer, now }: StagingQuestion): StagingDecision {
  const staged = stagedOf(request.owner, [observed]);
  return concluded(stagingStep(request, observed, offer), {
    deadline: request.deadline,
    now,
    always: allMadeTemporary(staged),
    cleanUp: cleanUp(staged).intents,
  });
}

export function stagingStep(
  request: StagingRequest,
  observed: ObservedSource,
  offer: SnapshotOffer,
): StagingStep {
  switch (request.method) {
    case "Direct":
      return directStep(request, observed);
    case "Clone":
      return copyStep(request, observed);
    case "Snapshot":
      return snapshotStep(request, observed, offer);
    default:
      return unreachable(request.method);
  }
}
