import { keyOf } from "../../kube/object.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { Ready } from "../repository/repository.ts";
import {
  isBelievable,
  isGivenUp,
  markMissing,
  missingCondition,
  type SnapshotHolder,
  type StatusOf,
  unmark,
} from "./absence.ts";
import { type BeforeListing, type CatalogObjects, snapshotOwnerOf } from "./catalog_objects.ts";
import type { CatalogRepository } from "./catalog_repository.ts";
import { isPinned, withPinning } from "./pinning.ts";
import { hasShrunk } from "./shrinkage.ts";
import { isAcknowledged, totalBefore } from "./shrunk_condition.ts";
import { SnapshotOwnerIndex } from "./snapshot_owner_index.ts";
import type { CatalogRow, Survey } from "./survey.ts";

export interface ObservedCatalog<T extends SnapshotHolder> {
  readonly repository: Ready<CatalogRepository>;
  readonly objects: CatalogObjects<T>;
  readonly before: BeforeListing;
  readonly survey: Survey;
  /** Every object of the repository, after the list was read. */
  readonly present: readonly T[];
  /** The namespace in which a snapshot is shown, where there is one. */
  readonly place: (snapshot: Snapshot) => string | undefined;
  readonly now: number;
}

/** An object as it should be, for a snapshot that was found. */
export interface ShownSnapshot<T extends SnapshotHolder> {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: StatusOf<T>;
  /** As it is, where it is there already. */
  readonly present?: T;
}

/** An object of which something else is to be said. */
export interface MarkedObject<T extends SnapshotHolder> {
  readonly object: T;
  readonly status: StatusOf<T>;
}

export interface CatalogFigures {
  /** How many objects for what was found there are afterwards. */
  readonly shown: number;
  /** How many snapshots nobody stands for and nobody sees. */
  readonly hidden: number;
  /** So much is missing that it is not believed before somebody acknowledges it. */
  readonly shrunk?: { readonly missing: number; readonly known: number };
}

/** What follows from a repository's list. No snapshot is ever deleted by it. */
export interface CatalogDecision<T extends SnapshotHolder> extends CatalogFigures {
  /** To be created, or put right. */
  readonly show: readonly ShownSnapshot<T>[];
  /** Objects for what was found that go: it is not to be shown any more, or is gone from the repository. */
  readonly remove: readonly T[];
  readonly mark: readonly MarkedObject<T>[];
}

/** Pure: the same list and the same objects give the same answer, and once it is carried out there is nothing more to do. */
export function decideCatalog<T extends SnapshotHolder>(observed: ObservedCatalog<T>): CatalogDecision<T> {
  const { repository, objects, before, survey, present, now } = observed;
  const made = present.filter((one) => !objects.isDiscovered(one) && !one.metadata.deletionTimestamp);
  const rows = present.filter((one) => objects.isDiscovered(one));
  const idsOf = (object: T) => objects.snapshotsOf(object).map(({ id }) => id);
  const missingOf = (object: T) => missingIds(observed, object);
  const { wanted, hidden } = wantedRows(observed);
  const unlisted = rows.filter(({ metadata: { name, deletionTimestamp } }) => {
    return before.rows.has(name) && !survey.listed.has(name) && !deletionTimestamp;
  });
  // Whoever made it came no further than its name: it tells nobody of a snapshot, and is made again if there is one.
  const blank = unlisted.filter((row) => idsOf(row).length === 0);
  const absent = unlisted.filter((row) => idsOf(row).length > 0);
  const lost = made.filter((one) => missingOf(one).length > 0 && !isGivenUp(one));
  const missing = lost.reduce((sum, one) => sum + missingOf(one).length, 0);
  const shrunk = hasShrunk({
    made: { known: before.expected, missing },
    found: { known: before.rows.size, missing: absent.length },
    total: survey.total,
    before: totalBefore(repository),
  });
  const held = shrunk && !isAcknowledged(repository);
  const believed = (object: T) => !held && isBelievable(object, now);
  const gone = new Set([...blank, ...absent.filter(believed)]);
  const expected = new Set<string>(before.snapshotOwners.map(({ key }) => key));
  const unsettled = [...absent, ...lost].some((one) => !believed(one));
  return {
    show: shownSnapshots(observed, wanted, rows),
    remove: rows.filter((row) => gone.has(row) || isSuperfluous(observed, wanted, row)),
    mark: [
      ...absent
        .filter((row) => !gone.has(row) && !missingCondition(row))
        .map((row) => ({ object: row, status: markMissing(row, idsOf(row), { believed: false, now }) })),
      ...made
        .filter((one) => expected.has(keyOf(one)))
        .flatMap((one) => judged(observed, one, believed(one))),
    ],
    shown: wanted.size + unlisted.length - gone.size,
    hidden,
    ...(shrunk && unsettled
      ? { shrunk: { missing: missing + absent.length, known: before.expected + before.rows.size } }
      : {}),
  };
}

interface Wanted {
  /** By key. */
  readonly wanted: ReadonlyMap<string, CatalogRow & { readonly namespace: string }>;
  readonly hidden: number;
}

/** What is to be shown, and where. What an object of ours stands for by now is not. */
function wantedRows<T extends SnapshotHolder>({
  survey,
  objects,
  present,
  place,
}: ObservedCatalog<T>): Wanted {
  const made = present.filter((one) => !objects.isDiscovered(one));
  const kept = new SnapshotOwnerIndex(made.map((one) => snapshotOwnerOf(objects, one)));
  const wanted = new Map<string, CatalogRow & { readonly namespace: string }>();
  let { hidden } = survey;
  for (const row of survey.shown) {
    if (kept.keeps(row.snapshot)) continue;
    const namespace = place(row.snapshot);
    if (namespace === undefined) hidden += 1;
    else wanted.set(keyOf({ namespace, name: row.name }), { ...row, namespace });
  }
  return { wanted, hidden };
}

function shownSnapshots<T extends SnapshotHolder>(
  { repository, objects, now }: ObservedCatalog<T>,
  wanted: Wanted["wanted"],
  rows: readonly T[],
): readonly ShownSnapshot<T>[] {
  const known = new Map<string, T>(rows.map((row) => [keyOf(row), row]));
  return Array.from(wanted, ([key, { namespace, name, snapshot }]) => {
    const present = known.get(key);
    const labels = objects.discoveredLabels(repository, snapshot);
    const status = objects.discoveredStatus(repository, snapshot, present, now);
    return { namespace, name, labels, status, ...(present ? { present } : {}) };
  }).filter(({ present, labels, status }) => {
    if (!present) return true;
    const { deletionTimestamp, labels: given = {} } = present.metadata;
    const labelled = Object.entries(labels).every(([label, value]) => given[label] === value);
    return !deletionTimestamp && !(labelled && jsonEqual(present.status, status));
  });
}

/** It is in the repository, and is not to be shown any more, or elsewhere. */
function isSuperfluous(
  { survey }: Pick<ObservedCatalog<never>, "survey">,
  wanted: Wanted["wanted"],
  row: SnapshotHolder,
): boolean {
  const { name, deletionTimestamp } = row.metadata;
  return survey.listed.has(name) && !wanted.has(keyOf(row)) && !deletionTimestamp;
}

/** What is to be said of an object of ours that was there before the list was asked for. */
function judged<T extends SnapshotHolder>(
  observed: ObservedCatalog<T>,
  object: T,
  believed: boolean,
): readonly MarkedObject<T>[] {
  const { survey, now } = observed;
  const ids = missingIds(observed, object);
  const present = presence(object, ids, believed, now);
  const seen = present ? { ...object, status: present } : object;
  // What is not listed may be what was pinned.
  const kept = ids.length > 0 && isPinned(object);
  const status = withPinning(seen, kept || survey.pinned.has(keyOf(object)), now) ?? present;
  return status ? [{ object, status }] : [];
}

/** The status that says whether all of its snapshots are there; undefined where it says so already. */
function presence<T extends SnapshotHolder>(
  object: T,
  missing: readonly string[],
  believed: boolean,
  now: number,
): StatusOf<T> | undefined {
  if (missing.length === 0) return unmark(object);
  if (isGivenUp(object) || (missingCondition(object) && !believed)) return undefined;
  return markMissing(object, missing, { believed, now });
}

/** What the object stands for, now as before, and the repository does not list. */
function missingIds<T extends SnapshotHolder>(
  { survey, objects }: ObservedCatalog<T>,
  object: T,
): readonly string[] {
  const missing = survey.missing.get(keyOf(object)) ?? [];
  if (missing.length === 0) return [];
  const named = new Set(objects.snapshotsOf(object).map(({ id }) => id));
  return missing.map(({ id }) => id).filter((id) => named.has(id));
}
