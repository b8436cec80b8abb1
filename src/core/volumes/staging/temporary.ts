import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Claim } from "../claim_request.ts";
import type { Staged } from "./clean_up.ts";
import type { GroupKinds, VolumeGroupSnapshot } from "./group_snapshot_kinds.ts";
import {
  HIDDEN,
  type Hidden,
  type ObservedGroup,
  type ObservedMember,
  type StagedObjects,
  type Volume,
} from "./observed_staging.ts";
import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "./snapshot_kinds.ts";
import { HELD, isHeld } from "./staged_marks.ts";
import type { StagingIntent } from "./staging_decision.ts";

/** What is behind staged objects goes along with them, and then nothing holds them any more. */
export function allMadeTemporary({ sources, group }: Staged): readonly StagingIntent[] {
  const { kinds, snapshot, members = [] } = group ?? {};
  return [
    ...sources.flatMap(madeTemporary),
    ...(group && kinds && snapshot ? groupMadeTemporary(kinds, snapshot, group) : []),
    ...members.flatMap((one) => snapshotMadeTemporary(one.snapshot, one.content)),
  ];
}

function madeTemporary({ snapshot, content, claim, volume }: StagedObjects): readonly StagingIntent[] {
  return [
    ...(claim ? claimMadeTemporary(claim, volume) : []),
    ...(snapshot ? snapshotMadeTemporary(snapshot, content) : []),
  ];
}

/** Only what was made as a copy for this very claim: any other volume is somebody's data. */
function claimMadeTemporary(claim: Claim, seen: Volume | Hidden | undefined): readonly StagingIntent[] {
  const own = seen !== HIDDEN && seen?.spec?.claimRef?.uid === claim.metadata.uid && claim.spec?.dataSource;
  const volume = own ? seen : undefined;
  return settled(
    { resource: PersistentVolumeClaims, object: claim },
    seen === HIDDEN,
    volume && {
      resource: PersistentVolumes,
      object: volume,
      field: "persistentVolumeReclaimPolicy",
      retained: volume.spec?.persistentVolumeReclaimPolicy === "Retain",
    },
  );
}

/** Only what was taken by this very snapshot: what it was merely bound to was there before. */
function snapshotMadeTemporary(
  snapshot: VolumeSnapshot,
  seen: VolumeSnapshotContent | Hidden | undefined,
): readonly StagingIntent[] {
  const own =
    seen !== HIDDEN &&
    seen?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid &&
    snapshot.spec.source.persistentVolumeClaimName;
  const content = own ? seen : undefined;
  return settled(
    { resource: VolumeSnapshots, object: snapshot },
    seen === HIDDEN,
    content && {
      resource: VolumeSnapshotContents,
      object: content,
      field: "deletionPolicy",
      retained: content.spec.deletionPolicy === "Retain",
    },
  );
}

/** A group is held until all of its members go along, too: they are only its own as long as it is there. */
function groupMadeTemporary(
  kinds: GroupKinds,
  group: VolumeGroupSnapshot,
  { content: seen, members }: Pick<ObservedGroup, "content" | "members">,
): readonly StagingIntent[] {
  const own = seen !== HIDDEN && seen?.spec.volumeGroupSnapshotRef.uid === group.metadata.uid;
  const content = own ? seen : undefined;
  const intents = settled(
    { resource: kinds.groups, object: group },
    seen === HIDDEN,
    content && {
      resource: kinds.contents,
      object: content,
      field: "deletionPolicy",
      retained: content.spec.deletionPolicy === "Retain",
    },
  );
  const complete = group.status?.readyToUse || group.metadata.deletionTimestamp;
  return complete && members.every(goesAlong) ? intents : intents.filter(({ type }) => type !== "Release");
}

/** A member that failed gets no content any more. */
function goesAlong({ snapshot, content }: ObservedMember): boolean {
  return (
    content === HIDDEN || (content ? content.spec.deletionPolicy === "Delete" : !!snapshot.status?.error)
  );
}

interface Behind {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly field: Extract<StagingIntent, { type: "MakeTemporary" }>["field"];
  readonly retained: boolean;
}

function settled(
  front: { readonly resource: Resource; readonly object: KubeObject },
  hidden: boolean,
  behind: Behind | undefined,
): readonly StagingIntent[] {
  if (behind?.retained) {
    const { resource, object, field } = behind;
    return [{ type: "MakeTemporary", resource, object, field }];
  }
  if (!isHeld(front.object)) return [];
  const release = { type: "Release", ...front } as const;
  if (!front.object.metadata.deletionTimestamp) return behind || hidden ? [release] : [];
  // Its controllers have seen the deletion, and nothing comes of it any more; nor do they look at a content again.
  const letGo = front.object.metadata.finalizers?.every((name) => name === HELD);
  if (!letGo) return [];
  return [...(behind ? removal(behind) : []), release];
}

/** A volume is reclaimed once its claim is gone; a content is nobody's from then on. */
function removal({ resource, object, field }: Behind): readonly StagingIntent[] {
  const left = field === "deletionPolicy" && !object.metadata.deletionTimestamp;
  return left ? [{ type: "Delete", resource, object }] : [];
}
