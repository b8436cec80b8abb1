import { KeeperIndex } from "../../../core/catalog/keeper_index.ts";
import { hasShrunk } from "../../../core/catalog/shrinkage.ts";
import type { CatalogRow, Survey } from "../../../core/catalog/survey.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import { isDiscovered } from "../backup/backup_labels.ts";
import type { ReadyRepository } from "../references.ts";
import { isBelievable, isGivenUp, markMissing, missingCondition, unmark } from "./absence.ts";
import type { BeforeListing } from "./before_listing.ts";
import { discoveredLabels, discoveredStatus } from "./discovered_backup.ts";
import { keeperOf } from "./keeper_of.ts";
import { isPinned, withPinning } from "./pinning.ts";
import { isAcknowledged, totalBefore } from "./shrunk_condition.ts";

export interface ObservedCatalog {
  readonly repository: ReadyRepository;
  readonly before: BeforeListing;
  readonly survey: Survey;
  /** Every Backup of the repository, after the list was read. */
  readonly backups: readonly Backup[];
  /** The namespace in which a snapshot is shown, where there is one. */
  readonly place: (snapshot: Snapshot) => string | undefined;
  readonly now: number;
}

/** A Backup as it should be, for a snapshot that was found. */
export interface ShownBackup {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: BackupStatus;
  /** As it is, where it is there already. */
  readonly present?: Backup;
}

/** A Backup of which something else is to be said. */
export interface MarkedBackup {
  readonly backup: Backup;
  readonly status: BackupStatus;
}

/** What follows from a repository's list. No snapshot is ever deleted by it. */
export interface CatalogDecision {
  /** To be created, or put right. */
  readonly show: readonly ShownBackup[];
  /** Backups of what was found that go: it is not to be shown any more, or is gone from the repository. */
  readonly remove: readonly Backup[];
  readonly mark: readonly MarkedBackup[];
  /** How many Backups of what was found there are afterwards. */
  readonly shown: number;
  /** How many snapshots nobody stands for and nobody sees. */
  readonly hidden: number;
  /** So much is missing that it is not believed before somebody acknowledges it. */
  readonly shrunk?: { readonly missing: number; readonly known: number };
}

/** Pure: the same list and the same Backups give the same answer, and once it is carried out there is nothing more to do. */
export function decideCatalog(observed: ObservedCatalog): CatalogDecision {
  const { repository, before, survey, backups, now } = observed;
  const made = backups.filter((backup) => !isDiscovered(backup) && !backup.metadata.deletionTimestamp);
  const rows = backups.filter(isDiscovered);
  const { wanted, hidden } = wantedRows(observed);
  const unlisted = rows.filter(({ metadata: { name, deletionTimestamp } }) => {
    return before.rows.has(name) && !survey.listed.has(name) && !deletionTimestamp;
  });
  // Whoever made it came no further than its name: it tells nobody of a snapshot, and is made again if there is one.
  const blank = unlisted.filter((row) => idsOf(row).length === 0);
  const absent = unlisted.filter((row) => idsOf(row).length > 0);
  const lost = made.filter((backup) => missingIds(observed, backup).length > 0 && !isGivenUp(backup));
  const missing = lost.reduce((sum, backup) => sum + missingIds(observed, backup).length, 0);
  const shrunk = hasShrunk({
    made: { known: before.expected, missing },
    found: { known: before.rows.size, missing: absent.length },
    total: survey.total,
    before: totalBefore(repository),
  });
  const held = shrunk && !isAcknowledged(repository);
  const believed = (backup: Backup) => !held && isBelievable(backup, now);
  const gone = new Set([...blank, ...absent.filter(believed)]);
  const expected = new Set<string>(before.keepers.map(({ key }) => key));
  const unsettled = [...absent, ...lost].some((backup) => !believed(backup));
  return {
    show: shownBackups(observed, wanted, rows),
    remove: rows.filter((row) => gone.has(row) || isSuperfluous(observed, wanted, row)),
    mark: [
      ...absent
        .filter((row) => !gone.has(row) && !missingCondition(row))
        .map((row) => marked(row, idsOf(row), false, now)),
      ...made
        .filter((backup) => expected.has(keyOf(backup)))
        .flatMap((backup) => judged(observed, backup, believed(backup))),
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

/** What is to be shown, and where. What a Backup of ours stands for by now is not. */
function wantedRows({ survey, backups, place }: ObservedCatalog): Wanted {
  const kept = new KeeperIndex(backups.filter((backup) => !isDiscovered(backup)).map(keeperOf));
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

function shownBackups(
  { repository, now }: ObservedCatalog,
  wanted: Wanted["wanted"],
  rows: readonly Backup[],
): readonly ShownBackup[] {
  const present = new Map<string, Backup>(rows.map((row) => [keyOf(row), row]));
  return Array.from(wanted, ([key, { namespace, name, snapshot }]) => {
    const backup = present.get(key);
    const labels = discoveredLabels(repository, snapshot);
    const status = discoveredStatus(repository, snapshot, backup, now);
    return { namespace, name, labels, status, ...(backup ? { present: backup } : {}) };
  }).filter(({ present: backup, labels, status }) => {
    if (!backup) return true;
    const { deletionTimestamp, labels: given = {} } = backup.metadata;
    const labelled = Object.entries(labels).every(([label, value]) => given[label] === value);
    return !deletionTimestamp && !(labelled && jsonEqual(backup.status, status));
  });
}

/** It is in the repository, and is not to be shown any more, or elsewhere. */
function isSuperfluous({ survey }: ObservedCatalog, wanted: Wanted["wanted"], row: Backup): boolean {
  const { name, deletionTimestamp } = row.metadata;
  return survey.listed.has(name) && !wanted.has(keyOf(row)) && !deletionTimestamp;
}

/** What is to be said of a Backup of ours that was there before the list was asked for. */
function judged(observed: ObservedCatalog, backup: Backup, believed: boolean): readonly MarkedBackup[] {
  const { survey, now } = observed;
  const present = presence(observed, backup, believed);
  const seen = present ? { ...backup, status: present } : backup;
  // What is not listed may be what was pinned.
  const kept = missingIds(observed, backup).length > 0 && isPinned(backup);
  const status = withPinning(seen, kept || survey.pinned.has(keyOf(backup)), now) ?? present;
  return status ? [{ backup, status }] : [];
}

/** The status that says whether all of its snapshots are there; undefined where it says so already. */
function presence(observed: ObservedCatalog, backup: Backup, believed: boolean): BackupStatus | undefined {
  const ids = missingIds(observed, backup);
  if (ids.length === 0) return unmark(backup);
  if (isGivenUp(backup) || (missingCondition(backup) && !believed)) return undefined;
  return markMissing(backup, ids, { believed, now: observed.now });
}

function marked(backup: Backup, ids: readonly string[], believed: boolean, now: number): MarkedBackup {
  return { backup, status: markMissing(backup, ids, { believed, now }) };
}

/** What the Backup stands for, now as before, and the repository does not list. */
function missingIds({ survey }: ObservedCatalog, backup: Backup): readonly string[] {
  const named = idsOf(backup);
  return (survey.missing.get(keyOf(backup)) ?? []).map(({ id }) => id).filter((id) => named.includes(id));
}

function idsOf({ status }: Backup): readonly string[] {
  return (status?.snapshots ?? []).map(({ kopiaSnapshotID }) => kopiaSnapshotID);
}
