import { keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { Ready } from "../repository/repository.ts";
import { isGivenUp, type SnapshotHolder, type StatusOf } from "./absence.ts";
import type { CatalogRepository } from "./catalog_repository.ts";
import type { RememberedSnapshot, SnapshotOwner } from "./snapshot_owner_index.ts";

/** How an API shows what is in repositories: by objects of one kind, those that it made and those that it found. */
export interface CatalogObjects<T extends SnapshotHolder> {
  readonly resource: Resource<T>;
  /** Every object that stands for something in this repository, and in no other that was in its place before. */
  of(repository: CatalogRepository): readonly T[];
  /** The object stands for what was found, and goes with it. */
  isDiscovered(object: T): boolean;
  /** What it stands for, as far as it knows. */
  snapshotsOf(object: T): readonly RememberedSnapshot[];
  /** The runs whose snapshots are its own, also while it does not know of them yet. */
  runsOf(object: T): readonly string[];
  /** The spec of every object that stands for what was found. */
  readonly discoveredSpec: object;
  /** Labels of the object that stands for a snapshot that was found. */
  discoveredLabels(
    repository: Ready<CatalogRepository>,
    snapshot: Snapshot,
  ): Readonly<Record<string, string>>;
  /** Its status. `present`: the object, where there is one already. */
  discoveredStatus(
    repository: Ready<CatalogRepository>,
    snapshot: Snapshot,
    present: T | undefined,
    now: number,
  ): StatusOf<T>;
}

/** What an object that was made by a run stands for in its repository. */
export function snapshotOwnerOf<T extends SnapshotHolder>(
  objects: Pick<CatalogObjects<T>, "snapshotsOf" | "runsOf">,
  object: T,
): SnapshotOwner {
  return { key: keyOf(object), snapshots: objects.snapshotsOf(object), runs: objects.runsOf(object) };
}

/** What there was before a repository's list was asked for: only that can be missing from it. */
export interface BeforeListing {
  readonly snapshotOwners: readonly SnapshotOwner[];
  /** Names of the objects that stand for what was found. */
  readonly rows: ReadonlySet<string>;
  /** Snapshots of ours that are expected in the list. */
  readonly expected: number;
}

export function beforeListing<T extends SnapshotHolder>(
  objects: CatalogObjects<T>,
  present: readonly T[],
): BeforeListing {
  const made = present.filter((one) => !objects.isDiscovered(one));
  return {
    snapshotOwners: made.map((one) => snapshotOwnerOf(objects, one)),
    rows: new Set(present.filter((one) => objects.isDiscovered(one)).map(({ metadata }) => metadata.name)),
    expected: made
      .filter((one) => !isGivenUp(one))
      .reduce((sum, one) => sum + objects.snapshotsOf(one).length, 0),
  };
}
