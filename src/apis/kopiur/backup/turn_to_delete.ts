import type { RunGate } from "../../../core/work/run_policy.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { BY_REPOSITORY, type KopiurCaches } from "../caches.ts";
import { isUnfinished, recordOf } from "../records.ts";
import { repositoryKey } from "../references.ts";
import { type Frozen, frozenOf, mayRefer } from "./frozen.ts";
import { SNAPSHOT } from "./snapshot_task.ts";

export interface DeletionTurn {
  readonly caches: Pick<KopiurCaches, "backups">;
  readonly backup: Backup;
  readonly frozen: Frozen;
  /** What is remembered of the deletion. */
  readonly record: RunRecord | undefined;
}

/**
 * Whether the deletion of a Backup's snapshots may begin. A run that ignores identical snapshots may refer to what any
 * Backup named when it began, and says so only at its end: until then nothing of its identity is deleted. One that begins
 * later refers to nothing of a Backup that goes.
 */
export function turnToDelete({ caches, backup, frozen, record }: DeletionTurn): RunGate {
  const key = repositoryKey(frozen.repository, backup.metadata.namespace ?? "");
  const referring = caches.backups
    .indexed(BY_REPOSITORY, key)
    .find((other) => other.metadata.uid !== backup.metadata.uid && mayComeToRefer(other, frozen));
  if (referring) {
    const message = `Backup ${keyOf(referring)} runs. It ignores identical snapshots, so that it may come to refer to one of these: they are looked at again when it has ended.`;
    return { open: false, reason: "SnapshotsMayBeReferredTo", message };
  }
  // Once its own note is in the cache, so is every run that began before the note was written.
  if (mayRefer(frozen) && record === undefined) {
    const message = "The deletion of its snapshots is noted first.";
    return { open: false, reason: "Preparing", message, patience: 2_000 };
  }
  return { open: true };
}

function mayComeToRefer({ metadata, status }: Backup, { repository, identity }: Frozen): boolean {
  const its = frozenOf(status);
  return (
    its !== undefined &&
    mayRefer(its) &&
    metadata.deletionTimestamp === undefined &&
    its.repository.uniqueID === repository.uniqueID &&
    its.identity.username === identity.username &&
    its.identity.hostname === identity.hostname &&
    works(recordOf(status, SNAPSHOT))
  );
}

/** It has a seat or a Job: between two attempts it refers to nothing. */
function works(record: RunRecord | undefined): boolean {
  return isUnfinished(record) && (record.job !== undefined || record.place?.seated === true);
}
