import { type KubeObject, keyOf } from "../../kube/object.ts";
import { isUnfinished, recordOf } from "../reconcile/records.ts";
import type { RunGate } from "../work/run_policy.ts";
import type { RunRecord } from "../work/run_record.ts";
import { type BackupPlan, mayRefer } from "./plan.ts";
import { SNAPSHOT } from "./snapshot_task.ts";

export interface DeletionTurn {
  readonly plan: BackupPlan;
  /** What is remembered of the deletion. */
  readonly record: RunRecord | undefined;
  /** Another backup that may come to refer to one of the snapshots. */
  readonly referring: KubeObject | undefined;
}

/**
 * Whether the deletion of a backup's snapshots may begin. A run that ignores identical snapshots may refer to what any
 * backup named when it began, and says so only at its end: until then nothing of its identity is deleted. One that begins
 * later refers to nothing of a backup that goes.
 */
export function turnToDelete({ plan, record, referring }: DeletionTurn): RunGate {
  if (referring) {
    const message = `${referring.kind} ${keyOf(referring)} runs. It ignores identical snapshots, so that it may come to refer to one of these: they are looked at again when it has ended.`;
    return { open: false, reason: "SnapshotsMayBeReferredTo", message };
  }
  // Once its own note is in the cache, so is every run that began before the note was written.
  if (mayRefer(plan) && record === undefined) {
    const message = "The deletion of its snapshots is noted first.";
    return { open: false, reason: "Preparing", message, patience: 2_000 };
  }
  return { open: true };
}

/** Whether another backup, whose plan is `its`, may come to refer to what one of this plan has made. */
export function mayComeToRefer(
  { metadata, status }: KubeObject & { readonly status?: object },
  its: BackupPlan,
  { repository, identity }: BackupPlan,
): boolean {
  return (
    mayRefer(its) &&
    metadata.deletionTimestamp === undefined &&
    its.repository.uniqueID === repository.uniqueID &&
    its.identity.username === identity.username &&
    its.identity.hostname === identity.hostname &&
    works(recordOf(status, SNAPSHOT))
  );
}

/** It has a slot or a Job: between two attempts it refers to nothing. */
function works(record: RunRecord | undefined): boolean {
  return isUnfinished(record) && (record.job !== undefined || record.place?.seated === true);
}
