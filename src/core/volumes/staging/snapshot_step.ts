import { keyOf } from "../../../kube/object.ts";
import { err, type Result } from "../../../lib/result.ts";
import { copyStep } from "./copy_step.ts";
import { foreignCopy } from "./foreign_copy.ts";
import { type ObservedSource, type SnapshotOffer, visible } from "./observed_staging.ts";
import { type ChosenClass, chosenClass } from "./snapshot_class.ts";
import type { SnapshotError, VolumeSnapshot } from "./snapshot_kinds.ts";
import { readable } from "./source_rules.ts";
import { stagedMeta, stagedName } from "./staged_marks.ts";
import { type RefusedStaging, refused, type StagingState, waiting } from "./staging_decision.ts";
import type { StagingRequest } from "./staging_request.ts";
import { type StagingStep, step } from "./staging_step.ts";

/** A snapshot is taken and awaited, and then its copy. */
export function snapshotStep(
  request: StagingRequest,
  observed: ObservedSource,
  offer: SnapshotOffer,
): StagingStep {
  const { snapshot, claim } = observed.staged;
  if (claim) return copyStep(request, observed, snapshot);
  if (!snapshot) return takeSnapshot(request, observed, offer);
  const state = foreignCopy(snapshot, request.owner) ?? snapshotState(snapshot);
  return state ? step(state) : copyStep(request, observed, snapshot);
}

function takeSnapshot(request: StagingRequest, observed: ObservedSource, offer: SnapshotOffer): StagingStep {
  const { owner, source, labels, snapshotClassName: wanted } = request;
  const read = readable(request, observed);
  if (!read.ok) return step(read.error);
  const chosen = snapshotCapability(observed, offer, wanted);
  if (!chosen.ok) return step(chosen.error);
  const { name: volumeSnapshotClassName, deletionPolicy } = chosen.value;
  const { namespace } = source;
  const name = stagedName(owner, source, "snapshot");
  const held = deletionPolicy === "Retain";
  const message = `A snapshot of PersistentVolumeClaim ${keyOf(source)} is being taken.`;
  return step(waiting("SnapshotPending", message), {
    type: "CreateSnapshot",
    owner,
    draft: {
      metadata: stagedMeta({ owner, namespace, name, of: source.name, labels, held }),
      spec: {
        source: { persistentVolumeClaimName: source.name },
        ...(volumeSnapshotClassName === undefined ? {} : { volumeSnapshotClassName }),
      },
    },
  });
}

/** The class for a snapshot of the volume; or why the cluster can take none. */
export function snapshotCapability(
  { volume }: Pick<ObservedSource, "volume">,
  { served, classes }: SnapshotOffer,
  wanted: string | undefined,
): Result<ChosenClass, RefusedStaging> {
  if (!served) {
    return err(
      refused(
        "structural",
        "SnapshotsUnsupported",
        "This cluster has no API for volume snapshots (snapshot.storage.k8s.io/v1). Install the snapshot controller and its CustomResourceDefinitions, or use the copy method Clone or Direct.",
      ),
    );
  }
  const driver = visible(volume)?.spec?.csi?.driver;
  return chosenClass({ kind: "VolumeSnapshotClass", classes, driver, wanted });
}

/** Why nothing can be made from a snapshot yet; undefined once it is ready. */
export function snapshotState(snapshot: VolumeSnapshot): StagingState | undefined {
  const { metadata, status } = snapshot;
  const captured = status?.creationTime !== undefined;
  if (metadata.deletionTimestamp) {
    const message = `VolumeSnapshot ${keyOf(snapshot)} is being deleted, and is taken anew once it is gone.`;
    return waiting("SnapshotGoing", message, captured);
  }
  if (status?.readyToUse) return undefined;
  return status?.error
    ? waiting("SnapshotFailing", failing(`VolumeSnapshot ${keyOf(snapshot)}`, status.error), captured)
    : waiting("SnapshotPending", `VolumeSnapshot ${keyOf(snapshot)} is not ready to use yet.`, captured);
}

export function failing(what: string, { message = "no reason is given" }: SnapshotError): string {
  return `${what} cannot be taken: ${message.replace(/\.$/, "")}. The driver tries again.`;
}
