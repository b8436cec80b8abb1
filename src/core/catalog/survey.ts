import { identityText } from "../../wire/identity.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { AHEAD } from "./passed_over.ts";
import { type RememberedSnapshot, type SnapshotOwner, SnapshotOwnerIndex } from "./snapshot_owner_index.ts";

/** How much of a repository's list is shown. */
export interface CatalogLimits {
  /** The newest of an identity. */
  readonly perIdentity: number;
  /** None that is older, in milliseconds. */
  readonly maxAge: number;
  /** Of all identities together. Default 10,000. */
  readonly inAll?: number;
}

export interface SurveyOptions {
  /** The objects that stood for snapshots before the list was asked for. */
  readonly snapshotOwners: readonly SnapshotOwner[];
  /** The names of the rows that were there before it was asked for. */
  readonly rows: ReadonlySet<string>;
  /** The name of a snapshot's row: the same for the same snapshot, whatever its ID. Undefined where it can have none. */
  readonly nameOf: (snapshot: Snapshot) => string | undefined;
  readonly limits: CatalogLimits;
  readonly now: number;
}

/** A snapshot that is shown. */
export interface CatalogRow {
  readonly name: string;
  readonly snapshot: Snapshot;
}

export interface IdentityCount {
  readonly identity: string;
  readonly snapshots: number;
  readonly newestAt: string;
}

/** What a repository's list says: as much as is shown, what there was before, and a count for each identity. */
export interface Survey {
  readonly total: number;
  /** Bytes of the newest snapshot of every identity. */
  readonly logicalBytes: number;
  readonly identities: readonly IdentityCount[];
  /** What nobody stands for, within the limits; of each identity the newest first. */
  readonly shown: readonly CatalogRow[];
  /** What nobody stands for either, and the limits leave out. */
  readonly hidden: number;
  /** The rows of before whose snapshots the repository holds. */
  readonly listed: ReadonlySet<string>;
  /** What owners stand for and the repository does not list, by owner. */
  readonly missing: ReadonlyMap<string, readonly RememberedSnapshot[]>;
  /** Owners that stand for a snapshot which somebody pinned. */
  readonly pinned: ReadonlySet<string>;
}

const IN_ALL = 10_000;

/**
 * Reads a complete list, newest first. Rejects when the list breaks off: half a list says nothing about what is not in
 * it.
 */
export async function survey(listing: AsyncIterable<Snapshot>, options: SurveyOptions): Promise<Survey> {
  const reading = new Reading(options);
  for await (const snapshot of listing) reading.see(snapshot);
  return reading.end();
}

interface Group {
  snapshots: number;
  newestAt: string;
  newestBytes: number;
  readonly shown: CatalogRow[];
  readonly fromTheFuture: CatalogRow[];
}

class Reading {
  readonly #options: SurveyOptions;
  readonly #index: SnapshotOwnerIndex;
  readonly #groups = new Map<string, Group>();
  readonly #names = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #seen = new Map<string, Set<number>>();
  readonly #pinned = new Set<string>();
  #total = 0;
  #candidates = 0;
  #room: number;
  /** For what is from the future, so that no list can fill the memory. */
  #futureRoom: number;

  constructor(options: SurveyOptions) {
    this.#options = options;
    this.#index = new SnapshotOwnerIndex(options.snapshotOwners);
    this.#room = options.limits.inAll ?? IN_ALL;
    this.#futureRoom = this.#room;
  }

  see(snapshot: Snapshot): void {
    this.#total += 1;
    const group = this.#count(snapshot);
    for (const { snapshotOwner, at } of this.#index.places(snapshot)) {
      const seen = this.#seen.get(snapshotOwner);
      if (seen) seen.add(at);
      else this.#seen.set(snapshotOwner, new Set([at]));
      if (snapshot.pinned) this.#pinned.add(snapshotOwner);
    }
    const name = this.#options.nameOf(snapshot);
    if (name !== undefined && this.#options.rows.has(name)) this.#listed.add(name);
    if (this.#index.keeps(snapshot)) return;
    this.#candidates += 1;
    if (name !== undefined) this.#consider({ name, snapshot }, group);
  }

  end(): Survey {
    const { snapshotOwners, limits } = this.#options;
    for (const { shown, fromTheFuture } of this.#groups.values()) {
      const places = Math.min(limits.perIdentity - shown.length, this.#room);
      for (const row of fromTheFuture.slice(0, Math.max(0, places))) {
        shown.push(row);
        this.#room -= 1;
      }
    }
    const groups = [...this.#groups.values()];
    const shown = groups.flatMap((group) => group.shown);
    return {
      total: this.#total,
      logicalBytes: groups.reduce((sum, { newestBytes }) => sum + newestBytes, 0),
      identities: Array.from(this.#groups, ([identity, { snapshots, newestAt }]) => ({
        identity,
        snapshots,
        newestAt,
      })),
      shown,
      hidden: this.#candidates - shown.length,
      listed: this.#listed,
      pinned: this.#pinned,
      missing: new Map(
        snapshotOwners.flatMap(({ key, snapshots }) => {
          const seen = this.#seen.get(key);
          const gone = snapshots.filter((_, at) => !seen?.has(at));
          return gone.length === 0 ? [] : [[key, gone] as const];
        }),
      ),
    };
  }

  #count({ identity, startedAt, bytes = 0 }: Snapshot): Group {
    const key = identityText(identity);
    const present = this.#groups.get(key);
    if (present) {
      present.snapshots += 1;
      return present;
    }
    const group = { snapshots: 1, newestAt: startedAt, newestBytes: bytes, shown: [], fromTheFuture: [] };
    this.#groups.set(key, group);
    return group;
  }

  #consider(row: CatalogRow, group: Group): void {
    const { limits, now } = this.#options;
    const age = now - Date.parse(row.snapshot.startedAt);
    const inTime = age <= limits.maxAge;
    if (!inTime || this.#names.has(row.name)) return;
    const future = age < -AHEAD;
    const among = future ? group.fromTheFuture : group.shown;
    if (among.length >= limits.perIdentity || (future ? this.#futureRoom : this.#room) <= 0) return;
    this.#names.add(row.name);
    among.push(row);
    if (future) this.#futureRoom -= 1;
    else this.#room -= 1;
  }
}
