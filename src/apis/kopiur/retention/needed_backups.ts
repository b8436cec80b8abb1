import { commonNames } from "../../../core/catalog/keeper_index.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { beingFilled } from "../restore/populate/population_memory.ts";
import type { Pinned } from "../restore/resolution.ts";
import { isOver } from "../restore/restore_stage.ts";
import { entryReference, snapshotReference } from "../snapshot_reference.ts";

/** What a restore reads: a Backup, a snapshot, or one as the other. */
export interface Wanted {
  readonly backup?: ObjectKey;
  readonly snapshotID?: string | undefined;
  readonly runID?: string | undefined;
  readonly identity?: Pinned["identity"];
}

/** The names of those Backups that a restore reads, or is about to. */
export function neededBackups(backups: readonly Backup[], restores: Iterable<Restore>): ReadonlySet<string> {
  const keys = new Set<string>();
  const snapshots = new Set<string>();
  for (const restore of restores) {
    for (const { backup, snapshotID: id, runID: run, identity } of wantedBy(restore)) {
      if (id !== undefined) {
        for (const name of commonNames(snapshotReference({ id, run, identity }))) snapshots.add(name);
      }
      if (backup !== undefined) keys.add(backup);
    }
  }
  const needed = backups.filter(
    (backup) =>
      keys.has(keyOf(backup)) ||
      backup.status?.snapshots?.some((one) =>
        commonNames(entryReference(one)).some((name) => snapshots.has(name)),
      ),
  );
  return new Set(needed.map(({ metadata }) => metadata.name));
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
