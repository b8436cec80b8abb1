import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Decision } from "../decision.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import { recordOf } from "../records.ts";
import { HANDING_OVER } from "./hand_over.ts";
import { type Clearance, clearance } from "./in_place.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { asItStands } from "./reserving.ts";
import { decided, missing, type RestoreFields, withoutRun } from "./restore_decision.ts";
import { repositoryAway } from "./restore_outlook.ts";
import { restoreFields, standOfRestore } from "./restore_progress.ts";
import { hasBegun, isWriting } from "./restore_stage.ts";
import { RESTORE } from "./restore_tasks.ts";
import { isScalingRefused } from "./scaled_workloads.ts";

/** The data is written, once nobody else has the volume. */
export function writtenWhenFree(observed: ObservedRestore, place: RestoreFields): Decision<RestoreStatus> {
  const { run, use } = observed;
  const needed = use && run?.ok && isHeldBy(run.value, use) ? clearance(observed, use) : undefined;
  if (!needed) return written(observed, place);
  if (!run?.ok) return cleared(observed, place, needed);
  const { task, decision } = run.value;
  const work = { [task.purpose]: decision.record };
  const tidying = carryOut(run.value).intents;
  return cleared(observed, { ...place, work }, { ...needed, intents: [...tidying, ...needed.intents] });
}

/** What is in the way of the volume goes first. */
export function cleared(
  observed: ObservedRestore,
  place: RestoreFields,
  { stand, ...fields }: Clearance,
): Decision<RestoreStatus> {
  const phase = observed.restore.status?.phase === "Restoring" ? "Restoring" : "Pending";
  const decision = decided(observed, stand, { ...place, phase, ...fields });
  const refused = fields.scaledWorkloads !== undefined && isScalingRefused(observed.restore.status);
  return refused ? asItStands(observed, decision) : decision;
}

/** Nothing else is in the way of the run: a workload is not scaled down for a repository that is away. */
function isHeldBy({ decision }: Outlook, use: UseDecision): boolean {
  const { state } = decision;
  return use.type !== "Free" && state.phase === "Held" && state.reason === use.reason;
}

function written(observed: ObservedRestore, place: RestoreFields): Decision<RestoreStatus> {
  const { restore, run } = observed;
  if (!run) return { intents: [] };
  if (!run.ok) {
    const known = recordOf(restore.status, RESTORE);
    // As long as a Job writes, this is not over: the snapshot is read, and workloads are kept away.
    const fields = isWriting(restore) ? { ...place, phase: "Restoring" as const } : place;
    return withoutRun(observed, run.error, hasBegun(known), fields);
  }
  const { state, record } = run.value.decision;
  const work = { [run.value.task.purpose]: record };
  const fields = { ...carryOut(run.value), ...place, work, ...restoreFields(observed, run.value) };
  const away = repositoryAway(run.value, hasBegun(record));
  if (away) return missing(observed, away, fields);
  if (fields.phase === "Completed" && observed.through)
    return decided(observed, HANDING_OVER, { ...fields, phase: "Restoring", wakeAt: observed.now });
  return decided(observed, standOfRestore(state, "writing the data"), fields);
}
