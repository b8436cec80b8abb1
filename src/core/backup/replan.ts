import type { Result } from "../../lib/result.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { FIRST_ATTEMPT, renewed } from "../work/run_record.ts";
import type { BackupObject, BackupOwner } from "./backup.ts";
import { observeCleaning } from "./observe_copies.ts";
import { owesHooks } from "./observe_hooks.ts";
import type { BackupPlan } from "./plan.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf, STAGING } from "./staging_memory.ts";

export interface ReplanRequest<P extends BackupPlan> {
  readonly owner: BackupOwner;
  readonly plan: P;
  /** What the plan was made of was edited since. */
  readonly edited: boolean;
  /** The plan, as it would be made now. */
  make(): Result<P, Problem>;
}

/**
 * The plan as it would be now, for a backup that could not be done by the one it has: what that was made of was corrected
 * since, or the backup was edited after it had failed. Undefined where that is not so, and where something was begun: that
 * ends as it began.
 */
export async function replan<P extends BackupPlan>(
  ports: Pick<EngineRoom, "client" | "clock">,
  request: ReplanRequest<P>,
  signal: AbortSignal,
): Promise<P | undefined> {
  const { owner, edited } = request;
  if (!isUntouched(owner.object) || !isCorrected(owner.object, edited)) return undefined;
  const now = request.make();
  if (!now.ok) return undefined;
  const clean = !memoryOf(owner.object.status) || (await observeCleaning(ports, request, signal)).done;
  return clean ? now.value : undefined;
}

/** Nothing was let go for it that could have read or left something, and it has not ended. */
function isUntouched(object: BackupObject): boolean {
  const record = recordOf(object.status, SNAPSHOT) ?? FIRST_ATTEMPT;
  const { job, startedAt, leftovers, unseen } = record;
  const begun = [job, startedAt, leftovers, unseen].some((one) => one !== undefined);
  return !begun && !owesHooks(object) && renewed(record, specFingerprint(object)).outcome === undefined;
}

function isCorrected({ status }: BackupObject, edited: boolean): boolean {
  const refused = memoryOf(status)?.refusal !== undefined && edited;
  // What has no outcome for its edition had one for an earlier one.
  return refused || recordOf(status, SNAPSHOT)?.outcome === "Failed";
}

/** The backup, when it is done by another plan than before: what is remembered of that one's tries is of no use. */
export function startingOver({ resource, object }: BackupOwner): BackupOwner {
  const { [STAGING]: _, ...work } = recordsOf(object.status);
  return { resource, object: { ...object, status: { ...object.status, work } } };
}
