import type { Keeper } from "../../../core/catalog/keeper_index.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { isDiscovered } from "../backup/backup_labels.ts";
import { BY_CATALOG, type KopiurCaches } from "../caches.ts";
import type { AnyRepository } from "../references.ts";
import { isGivenUp } from "./absence.ts";
import { keeperOf } from "./keeper_of.ts";

/** Every Backup that stands for something in this repository, and in no other that was in its place before. */
export function backupsOf(
  { backups }: Pick<KopiurCaches, "backups">,
  repository: AnyRepository,
): readonly Backup[] {
  const { uid } = repository.metadata;
  const known = backups
    .indexed(BY_CATALOG, keyOf(repository))
    .filter(({ status }) => status?.resolved?.repository?.uniqueID === repository.status?.uniqueID);
  // A Backup that was found, and whose status could not be written any more.
  return [...known, ...backups.indexed(BY_CATALOG, uid)];
}

/** What there was before a repository's list was asked for: only that can be missing from it. */
export interface BeforeListing {
  readonly keepers: readonly Keeper[];
  /** Names of the Backups that stand for what was found. */
  readonly rows: ReadonlySet<string>;
  /** Snapshots of ours that are expected in the list. */
  readonly expected: number;
}

export function beforeListing(backups: readonly Backup[]): BeforeListing {
  const made = backups.filter((backup) => !isDiscovered(backup));
  const rows = new Set(backups.filter(isDiscovered).map(({ metadata }) => metadata.name));
  const expected = made
    .filter((backup) => !isGivenUp(backup))
    .reduce((sum, { status }) => sum + (status?.snapshots?.length ?? 0), 0);
  return { keepers: made.map(keeperOf), rows, expected };
}
