import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { HIDDEN, type ObservedGroup, type StagedObjects } from "./observed_staging.ts";
import { type VolumeSnapshot, VolumeSnapshots } from "./snapshot_kinds.ts";
import type { StagingIntent } from "./staging_decision.ts";
import { allMadeTemporary } from "./temporary.ts";

/** What an owner has staged. Only what is known to be its own belongs in here. */
export interface Staged {
  readonly sources: readonly StagedObjects[];
  readonly group?: Pick<ObservedGroup, "kinds" | "snapshot" | "content" | "members"> | undefined;
  /** Claims that are still marked for the owner's group. */
  readonly marked: readonly KubeObject[];
}

export interface CleanUp {
  readonly intents: readonly StagingIntent[];
  /** Nothing is left. */
  readonly done: boolean;
  /** What may stay behind, because it is out of our sight: for a warning. */
  readonly unseen: readonly string[];
}

/**
 * Removes what was staged, in steps: the copies first, since drivers refuse to delete a snapshot that something was
 * made from. To be asked again until it is done.
 */
export function cleanUp({ sources, group, marked }: Staged): CleanUp {
  const { kinds, snapshot: groupSnapshot, members = [] } = group ?? {};
  const copies = sources.some(({ claim }) => claim !== undefined);
  const intents: readonly StagingIntent[] = [
    ...marked.map((claim): StagingIntent => ({ type: "Mark", claim, owner: undefined })),
    ...allMadeTemporary({ sources, group, marked }),
    ...sources.flatMap(cleanSource),
    ...(kinds && groupSnapshot && !copies ? deletion(kinds.groups, groupSnapshot) : []),
  ];
  const left = sources.some(({ claim, snapshot }) => claim || snapshot);
  return {
    intents,
    done: !left && !groupSnapshot && members.length === 0 && marked.length === 0,
    unseen: [...sources.flatMap(unseenOf), ...(group?.content === HIDDEN ? [unseen(groupSnapshot)] : [])],
  };
}

/**
 * A snapshot that is deleted while it is being taken may stay for a quarter of an hour: the drivers' sidecar passes
 * the deletion over, and looks again only then. So it is left alone until it is there, as long as that may take.
 */
export function patientCleanUp(cleaning: CleanUp, deadline: number, now: number): CleanUp {
  if (now >= deadline) return cleaning;
  return { ...cleaning, intents: cleaning.intents.filter((intent) => !endsCapture(intent)) };
}

function endsCapture(intent: StagingIntent): boolean {
  if (intent.type !== "Delete" || intent.resource.kind !== VolumeSnapshots.kind) return false;
  const { status } = intent.object as VolumeSnapshot;
  return !status?.readyToUse && !status?.error;
}

function cleanSource({ claim, snapshot }: StagedObjects): readonly StagingIntent[] {
  return [
    ...(claim ? deletion(PersistentVolumeClaims, claim) : []),
    ...(snapshot && !claim ? deletion(VolumeSnapshots, snapshot) : []),
  ];
}

function deletion(resource: Resource, object: KubeObject): readonly StagingIntent[] {
  return object.metadata.deletionTimestamp ? [] : [{ type: "Delete", resource, object }];
}

function unseenOf({ claim, volume, snapshot, content }: StagedObjects): readonly string[] {
  return [...(volume === HIDDEN ? [unseen(claim)] : []), ...(content === HIDDEN ? [unseen(snapshot)] : [])];
}

function unseen(object: KubeObject | undefined): string {
  const what = object ? `${object.kind} ${keyOf(object)}` : "a group snapshot";
  return `What is behind ${what} cannot be seen with the operator's rights: if its class retains, it stays after the end, and has to be deleted by hand.`;
}
