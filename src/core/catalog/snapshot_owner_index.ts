import { type Identity, identityText } from "../../wire/identity.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotReference } from "../../wire/work.ts";

/** A snapshot as an object remembers it. */
export interface RememberedSnapshot {
  /** May have changed since. */
  readonly id: string;
  readonly identity: Identity;
  readonly run?: string | undefined;
  readonly root?: string | undefined;
}

/** An object that stands for the snapshots of its own runs. */
export interface SnapshotOwner {
  readonly key: string;
  readonly snapshots: readonly RememberedSnapshot[];
  /** What carries the tag of one of these is its own, also while it does not know of it yet. */
  readonly runs: readonly string[];
}

/** One of the snapshots of an owner. */
export interface KeptPlace {
  readonly snapshotOwner: string;
  readonly at: number;
}

/** Tells which snapshots of a repository an object stands for already. */
export class SnapshotOwnerIndex {
  readonly #places = new Map<string, KeptPlace[]>();
  readonly #runs = new Set<string>();

  constructor(snapshotOwners: Iterable<SnapshotOwner>) {
    for (const { key, snapshots, runs } of snapshotOwners) {
      for (const run of runs) this.#runs.add(run);
      for (const [at, snapshot] of snapshots.entries()) {
        for (const name of namesOf(snapshot)) this.#file(name, { snapshotOwner: key, at });
      }
    }
  }

  /** The places that this snapshot has. The same one may be found by its ID and by its run. */
  places(snapshot: Snapshot): readonly KeptPlace[] {
    return sought(snapshot).flatMap((name) => this.#places.get(name) ?? []);
  }

  keeps(snapshot: Snapshot): boolean {
    return (
      (snapshot.run !== undefined && this.#runs.has(snapshot.run)) ||
      sought(snapshot).some((name) => this.#places.has(name))
    );
  }

  #file(name: string, place: KeptPlace): void {
    const present = this.#places.get(name);
    if (present) present.push(place);
    else this.#places.set(name, [place]);
  }
}

/**
 * What two objects that remember one snapshot have in common, also where its ID changed between them. Its content is left
 * out: one of them may not know it.
 */
export function commonNames({ id, run, identity }: SnapshotReference): readonly string[] {
  return identity === undefined ? [`id ${id}`] : namesOf({ id, run, identity });
}

/** By its ID, which may change, and by what does not: the run that made it, whose it is, and its content. */
function namesOf({ id, identity, run, root = ANY }: RememberedSnapshot): readonly string[] {
  return run === undefined ? [`id ${id}`] : [`id ${id}`, madeBy(run, identity, root)];
}

/** Every name under which a listed snapshot may be remembered: its content may not have been known. */
function sought({ id, identity, run, root = ANY }: Snapshot): readonly string[] {
  if (run === undefined) return [`id ${id}`];
  return [`id ${id}`, madeBy(run, identity, root), madeBy(run, identity, ANY)];
}

const ANY = "";

function madeBy(run: string, identity: Identity, root: string): string {
  return `run ${run} ${root} ${identityText(identity)}`;
}
