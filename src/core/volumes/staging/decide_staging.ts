import { unreachable } from "../../../lib/result.ts";
import { copyStep } from "./copy_step.ts";
import { directStep } from "./direct_step.ts";
import type { ObservedSource, SnapshotOffer } from "./observed_staging.ts";
import { snapshotStep } from "./snapshot_step.ts";
import { captureObjection } from "./source_rules.ts";
import type { StagingRequest } from "./staging_request.ts";
import { type StagingStep, unlessObjected } from "./staging_step.ts";

/** What one claim needs next to become something that a mover can mount. */
export function stagingStep(
  request: StagingRequest,
  observed: ObservedSource,
  offer: SnapshotOffer,
): StagingStep {
  return unlessObjected(stepByMethod(request, observed, offer), captureObjection(observed));
}

function stepByMethod(request: StagingRequest, observed: ObservedSource, offer: SnapshotOffer): StagingStep {
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
