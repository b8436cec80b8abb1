import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { GroupKinds } from "./group_snapshot_kinds.ts";
import { type ObservedGroup, type ObservedSource, visible } from "./observed_staging.ts";
import { type ChosenClass, chosenClass } from "./snapshot_class.ts";
import { type Objection, readable } from "./source_rules.ts";
import { CAPTURED_FOR, groupName, ownerUid, stagedMeta } from "./staged_marks.ts";
import { type RefusedStaging, refused, waiting } from "./staging_decision.ts";
import { type GroupRequest, requestOf } from "./staging_request.ts";
import { type StagingStep, step } from "./staging_step.ts";

/** A group snapshot finds its volumes by a label: it is put on them first. */
export function takeGroup(
  request: GroupRequest,
  sources: readonly ObservedSource[],
  group: ObservedGroup,
): StagingStep {
  const objection = sourcesObjection(request, sources);
  if (objection) return step(objection);
  const capable = groupCapability(request, sources, group);
  if (!capable.ok) return step(capable.error);
  const { owner, labels } = request;
  const { resource, namespace, chosen } = capable.value;
  const { name: volumeGroupSnapshotClassName, deletionPolicy } = chosen;
  const held = deletionPolicy === "Retain";
  const draft = {
    metadata: stagedMeta({ owner, namespace, name: groupName(owner), labels, held }),
    spec: {
      source: { selector: { matchLabels: { [CAPTURED_FOR]: ownerUid(owner) } } },
      ...(volumeGroupSnapshotClassName === undefined ? {} : { volumeGroupSnapshotClassName }),
    },
  };
  const unmarked = sources.flatMap(({ claim }) =>
    claim && claim.metadata.labels?.[CAPTURED_FOR] === undefined ? [claim] : [],
  );
  return step(
    waiting("GroupSnapshotPending", `A group snapshot of ${sources.length} volumes is being taken.`),
    ...unmarked.map((claim) => ({ type: "Mark", claim, owner }) as const),
    { type: "CreateGroup", owner, resource, draft },
  );
}

/** Each volume can be read, and no other group is looking for it. */
function sourcesObjection(request: GroupRequest, sources: readonly ObservedSource[]): Objection | undefined {
  for (const observed of sources) {
    const read = readable(requestOf(request, observed.source), observed);
    if (!read.ok) return read.error;
    const mark = read.value.claim.metadata.labels?.[CAPTURED_FOR];
    if (mark !== undefined && mark !== ownerUid(request.owner)) {
      const message = `PersistentVolumeClaim ${keyOf(observed.source)} is being captured for another backup at this moment. It goes on afterwards.`;
      return waiting("SourceBusy", message);
    }
  }
  return undefined;
}

interface GroupCapability {
  readonly resource: GroupKinds["groups"];
  readonly namespace: string;
  readonly chosen: ChosenClass;
}

/** Whether these volumes can be captured at one moment. */
export function groupCapability(
  { groupSnapshotClassName: wanted }: Pick<GroupRequest, "groupSnapshotClassName">,
  sources: readonly Pick<ObservedSource, "source" | "volume">[],
  { kinds, classes }: Pick<ObservedGroup, "kinds" | "classes">,
): Result<GroupCapability, RefusedStaging> {
  const [namespace = "", ...otherPlaces] = new Set(sources.map(({ source }) => source.namespace));
  if (otherPlaces.length > 0) {
    const places = [namespace, ...otherPlaces].join(", ");
    return err(unsupported(`The volumes are in different namespaces (${places}).`));
  }
  const [driver, ...otherDrivers] = new Set(
    sources.flatMap(({ volume }) => visible(volume)?.spec?.csi?.driver ?? []),
  );
  if (otherDrivers.length > 0) {
    const drivers = [driver, ...otherDrivers].join(", ");
    return err(unsupported(`The volumes are of different drivers (${drivers}).`));
  }
  if (!kinds) {
    return err(unsupported("This cluster has no API for group snapshots (groupsnapshot.storage.k8s.io)."));
  }
  const chosen = chosenClass({ kind: "VolumeGroupSnapshotClass", classes, driver, wanted });
  if (chosen.ok) return ok({ resource: kinds.groups, namespace, chosen: chosen.value });
  const { reason, message } = chosen.error;
  return err(reason === "GroupSnapshotClassMissing" ? unsupported(message) : chosen.error);
}

function unsupported(why: string): RefusedStaging {
  return refused(
    "structural",
    "GroupSnapshotUnsupported",
    `Several volumes cannot be captured at one moment. ${why} To accept that each has its own moment, set groupBy to None.`,
  );
}
