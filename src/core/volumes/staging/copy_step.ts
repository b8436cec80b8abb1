import { keyOf } from "../../../kube/object.ts";
import type { Claim } from "../claim_request.ts";
import { copyDraft } from "./copy_claim.ts";
import { foreignCopy } from "./foreign_copy.ts";
import { HIDDEN, type ObservedSource, type StagedObjects, visible } from "./observed_staging.ts";
import { whereVolumeIs } from "./placement.ts";
import type { VolumeSnapshot } from "./snapshot_kinds.ts";
import { readable } from "./source_rules.ts";
import { refused, type StagedVolume, type StagingState, waiting } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";
import { type StagingStep, step } from "./staging_step.ts";

/** The copy is made and awaited: from a snapshot that is ready, or without one as a clone. */
export function copyStep(
  request: StagingRequest,
  observed: ObservedSource,
  snapshot?: VolumeSnapshot,
): StagingStep {
  const { claim: copy } = observed.staged;
  if (copy) return step(foreignCopy(copy, request.owner) ?? copyState(request, observed, copy));
  const read = readable(request, observed);
  if (!read.ok) return step(read.error);
  const draft = copyDraft(request, read.value, snapshot);
  if (!draft.ok) return step(draft.error);
  const captured = request.method === "Snapshot";
  const message = `A copy of PersistentVolumeClaim ${keyOf(request.source)} is being made.`;
  return step(waiting("CopyPending", message, captured), {
    type: "CreateClaim",
    owner: request.owner,
    draft: draft.value,
  });
}

/** Whether a copy that is there can be mounted. */
export function copyState(request: StagingRequest, observed: ObservedSource, copy: Claim): StagingState {
  const { source, method } = request;
  const captured = method === "Snapshot" || copy.status?.phase === "Bound";
  const what = `The copy ${keyOf(copy)} of PersistentVolumeClaim ${keyOf(source)}`;
  if (copy.metadata.deletionTimestamp) {
    return waiting("CopyGoing", `${what} is being deleted, and is made anew once it is gone.`, captured);
  }
  if (copy.status?.phase === "Lost") {
    return refused("transient", "CopyLost", `${what} has lost its volume. It is made anew by the next try.`);
  }
  if (copy.status?.phase === "Bound") return ready(stagedVolume(request, observed, copy), captured);
  const { storageClass } = observed;
  if (storageClass === HIDDEN || storageClass?.volumeBindingMode === "WaitForFirstConsumer") {
    const placement = whereVolumeIs(visible(observed.volume));
    const volume = stagedVolume(request, observed, copy);
    return ready(placement ? { ...volume, placement } : volume, captured);
  }
  const complaint = newestComplaint(observed.staged);
  return complaint
    ? waiting(
        "CopyFailing",
        `${what} cannot be made: ${complaint.replace(/\.$/, "")}. The driver tries again.`,
        captured,
      )
    : waiting("CopyPending", `${what} is being made.`, captured);
}

function ready(volume: StagedVolume, captured: boolean): StagingState {
  return { phase: "Ready", captured, volumes: [volume] };
}

function stagedVolume({ source }: StagingRequest, { staged }: ObservedSource, copy: Claim): StagedVolume {
  const capturedAt = staged.snapshot?.status?.creationTime;
  return { source, claim: copy.metadata.name, ...(capturedAt ? { capturedAt } : {}) };
}

function newestComplaint({ events = [] }: StagedObjects): string | undefined {
  return events.toSorted((a, b) => (a.lastTimestamp ?? "").localeCompare(b.lastTimestamp ?? "")).at(-1)
    ?.message;
}
