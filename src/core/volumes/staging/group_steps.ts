import { keyOf } from "../../../kube/object.ts";
import { copyStep } from "./copy_step.ts";
import { foreignCopy } from "./foreign_copy.ts";
import type { VolumeGroupSnapshot } from "./group_snapshot_kinds.ts";
import type { ObservedGroup, ObservedSource } from "./observed_staging.ts";
import { failing, snapshotState } from "./snapshot_step.ts";
import { CAPTURED_FOR, ownerUid } from "./staged_marks.ts";
import { type StagingState, waiting } from "./staging_decision.ts";
import { type GroupRequest, requestOf } from "./staging_request.ts";
import { type StagingStep, step } from "./staging_step.ts";
import { takeGroup } from "./take_group.ts";

/** All volumes are captured at one moment; then each has a step of its own. */
export function groupSteps(
  request: GroupRequest,
  sources: readonly ObservedSource[],
  group: ObservedGroup,
): readonly StagingStep[] {
  const { snapshot } = group;
  const copied = sources.every(({ staged }) => staged.claim);
  if (!snapshot && !copied) return [takeGroup(request, sources, group)];
  const state = snapshot && (foreignCopy(snapshot, request.owner) ?? groupState(snapshot));
  if (state && !copied) return [step(state)];
  return [...sources.map((observed) => memberStep(request, observed, group)), unmarking(request, sources)];
}

/** A copy is made from the snapshot of its source within the group. */
function memberStep(
  request: GroupRequest,
  observed: ObservedSource,
  { members }: ObservedGroup,
): StagingStep {
  const { source, staged } = observed;
  const single = requestOf(request, source);
  const found = members.find((one) => one.snapshot.spec.source.persistentVolumeClaimName === source.name);
  if (!found) {
    const message = `The group snapshot has no snapshot of PersistentVolumeClaim ${keyOf(source)} yet.`;
    return staged.claim ? copyStep(single, observed) : step(waiting("GroupSnapshotPending", message, true));
  }
  const { snapshot } = found;
  const state = staged.claim ? undefined : snapshotState(snapshot);
  if (state) return step(state);
  return copyStep(single, { ...observed, staged: { ...staged, snapshot } }, snapshot);
}

/** The group has found its volumes: the marks that it found them by are taken off again. */
function unmarking({ owner }: GroupRequest, sources: readonly ObservedSource[]): StagingStep {
  const marked = sources.flatMap(({ claim }) =>
    claim?.metadata.labels?.[CAPTURED_FOR] === ownerUid(owner) ? [claim] : [],
  );
  return step(
    { phase: "Ready", captured: true, volumes: [] },
    ...marked.map((claim) => ({ type: "Mark", claim, owner: undefined }) as const),
  );
}

/** Why nothing can be made from a group snapshot yet; undefined once it is ready. */
function groupState(group: VolumeGroupSnapshot): StagingState | undefined {
  const { metadata, status } = group;
  const captured = status?.creationTime !== undefined;
  const what = `VolumeGroupSnapshot ${keyOf(group)}`;
  if (metadata.deletionTimestamp) {
    const message = `${what} is being deleted, and is taken anew once it is gone.`;
    return waiting("GroupSnapshotGoing", message, captured);
  }
  if (status?.readyToUse) return undefined;
  return status?.error
    ? waiting("GroupSnapshotFailing", failing(what, status.error), captured)
    : waiting("GroupSnapshotPending", `${what} is not ready to use yet.`, captured);
}
