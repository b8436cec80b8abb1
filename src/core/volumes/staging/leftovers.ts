import type { KubeObject } from "../../../kube/object.ts";
import { type CleanUp, cleanUp, type Staged } from "./clean_up.ts";
import type { StagedObjects } from "./observed_staging.ts";
import {
  CAPTURED_FOR,
  type MarkedOwner,
  markedOwner,
  STAGED_OF,
  type StagedRole,
  stagedOwner,
} from "./staged_marks.ts";

/** Everything in the cluster that has the marks of something staged. */
export interface EverythingStaged {
  readonly claims: readonly Required<Pick<StagedObjects, "claim" | "volume">>[];
  readonly snapshots: readonly Required<Pick<StagedObjects, "snapshot" | "content">>[];
  readonly groups: readonly NonNullable<Staged["group"]>[];
  /** Claims that carry the mark of a group. */
  readonly marked: readonly KubeObject[];
}

/** `gone` only where it is certain: what cannot be known is left alone. */
export type OwnerTruth = "there" | "gone" | "unknown";

export interface Leftover {
  readonly owner: MarkedOwner;
  readonly cleanUp: CleanUp;
}

/** What belongs to owners that are gone, and how it is removed. */
export function leftovers(
  staged: EverythingStaged,
  truthOf: (owner: MarkedOwner) => OwnerTruth,
): readonly Leftover[] {
  const owners = stagedOwners(staged).filter((owner) => truthOf(owner) === "gone");
  return owners.map((owner) => ({ owner, cleanUp: cleanUp(stagedBy(owner, staged)) }));
}

/** Everybody that something is staged for, as far as the marks and the name tell. */
export function stagedOwners({
  claims,
  snapshots,
  groups,
  marked,
}: EverythingStaged): readonly MarkedOwner[] {
  const owners = [
    ...claims.map(({ claim }) => claim && stagedOwner(claim, "copy")),
    ...snapshots.map(({ snapshot }) => snapshot && stagedOwner(snapshot, "snapshot")),
    ...groups.map(({ snapshot }) => snapshot && stagedOwner(snapshot, "group")),
    ...marked.map((claim) => markedOwner(claim, CAPTURED_FOR)),
  ].filter((owner) => owner !== undefined);
  return [...new Map(owners.map((owner) => [owner.uid, owner])).values()];
}

function stagedBy({ uid }: MarkedOwner, { claims, snapshots, groups, marked }: EverythingStaged): Staged {
  const isOwn = (object: KubeObject | undefined, role: StagedRole | "group") =>
    object !== undefined && stagedOwner(object, role)?.uid === uid;
  const sources = new Map<string, StagedObjects>();
  const add = (object: KubeObject | undefined, found: StagedObjects) => {
    const { namespace, annotations } = object?.metadata ?? {};
    const key = `${namespace}/${annotations?.[STAGED_OF] ?? ""}`;
    sources.set(key, { ...sources.get(key), ...found });
  };
  for (const found of claims) if (isOwn(found.claim, "copy")) add(found.claim, found);
  for (const found of snapshots) if (isOwn(found.snapshot, "snapshot")) add(found.snapshot, found);
  const group = groups.find(({ snapshot }) => isOwn(snapshot, "group"));
  return {
    sources: [...sources.values()],
    group,
    marked: marked.filter(({ metadata }) => metadata.labels?.[CAPTURED_FOR] === uid),
  };
}
