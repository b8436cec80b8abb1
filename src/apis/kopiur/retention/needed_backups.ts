import { beingFilled } from "../../../core/restore/populate/population_memory.ts";
import type { Pinned } from "../../../core/restore/restore.ts";
import { isOver } from "../../../core/restore/restore_stage.ts";
import { neededBackups } from "../../../core/retention/needed_backups.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { entryReference, snapshotReference } from "../snapshot_reference.ts";

/** What a restore reads: a Backup, a snapshot, or one as the other. */
export interface Wanted {
  readonly backup?: ObjectKey;
  readonly snapshotID?: string | undefined;
  readonly runID?: string | undefined;
  readonly identity?: Pinned["identity"];
}

/** The names of those Backups that a restore reads, or is about to. */
export function neededNames(backups: readonly Backup[], restores: Iterable<Restore>): ReadonlySet<string> {
  const kept = backups.map((backup) => ({
    name: backup.metadata.name,
    key: keyOf(backup),
    snapshots: (backup.status?.snapshots ?? []).map(entryReference),
  }));
  const wanted = Array.from(restores, wantedBy).flat();
  const needed = wanted.map(({ backup, snapshotID: id, runID: run, identity }) => ({
    backup,
    ...(id === undefined ? {} : { snapshot: snapshotReference({ id, run, identity }) }),
  }));
  return new Set(neededBackups(kept, needed).map(({ name }) => name));
}

/** What a restore reads, or is about to, as far as that is decided. */
export function wantedBy(restore: Restore): readonly Wanted[] {
  const { metadata, spec, status } = restore;
  const { backupRef } = spec.source;
  const own = isOver(restore) ? [] : [backupRef ? { backupRef } : {}, status?.resolved ?? {}];
  // One of several claims may have failed while others are filled.
  return [...own, ...beingFilled(status)].map(({ backupRef: ref, snapshotID, runID, identity }: Pinned) => ({
    ...(ref ? { backup: keyOf({ namespace: metadata.namespace, ...ref }) } : {}),
    snapshotID,
    runID,
    identity,
  }));
}
