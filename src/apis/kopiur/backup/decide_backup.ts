import { FIRST_ATTEMPT, renewed } from "../../../core/work/run_record.ts";
import type { EndedTask, TaskState } from "../../../core/work/task_decision.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { Result } from "../../../lib/result.ts";
import type { Decision, Intent } from "../decision.ts";
import { edition } from "../editions.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import type { Problem } from "../problem.ts";
import { progressOf, shownProgress } from "../progress.ts";
import { recordOf, recordsOf } from "../records.ts";
import { shownFailure, shownLog, standOfTask } from "../run_words.ts";
import { soonest } from "../soonest.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { backupLabels, originOf } from "./backup_labels.ts";
import {
  type BackupFields,
  CANCELLED,
  endedFields,
  endOfBackup,
  MOST_LOG,
  progressWords,
  runFields,
  snapshotConditions,
} from "./backup_progress.ts";
import { isCancelled } from "./backup_wishes.ts";
import type { Copies } from "./copies.ts";
import { type CopiesDecision, decideCopies } from "./decide_copies.ts";
import { type Frozen, failurePolicyOf, withoutUIDs } from "./frozen.ts";
import type { ObservedHooks } from "./hooks_view.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf, STAGING } from "./staging_memory.ts";
import { withClearing } from "./with_clearing.ts";
import { withHooks } from "./with_hooks.ts";
import { type ObservedLate, withLateRuns } from "./with_late_runs.ts";

export interface ObservedBackup {
  readonly backup: Backup;
  /** The recipe, frozen before or just now; or why there is none. */
  readonly frozen: Result<Frozen, Problem>;
  /** What follows for the run; or why there can be none. Absent without a recipe. */
  readonly run?: Result<Outlook, Problem>;
  /** What its mover is to read. Absent while it does not matter. */
  readonly copies?: Copies;
  /** What is done around the capture. Absent where nothing is. */
  readonly hooks?: ObservedHooks;
  /** What may come late of its runs. Absent where nothing may. */
  readonly late?: ObservedLate;
  readonly now: number;
}

/** What follows for a Backup that is not being deleted. */
export function decideBackup(observed: ObservedBackup): Decision<BackupStatus> {
  const { backup, frozen } = observed;
  if (!frozen.ok) return isCancelled(backup) ? cancelledEarly(observed) : held(observed, frozen.error);
  const hold = missingHold(backup, frozen.value);
  if (hold) return { intents: [hold] };
  return withHooks(decideRun(observed, frozen.value), observed);
}

/** What follows from its run. */
function decideRun(observed: ObservedBackup, frozen: Frozen): Decision<BackupStatus> {
  const { backup, run, copies, hooks, late, now } = observed;
  const cleaning = copies?.phase === "Over" ? copies.cleaning : undefined;
  if (!run?.ok) {
    const kept = recordOf(backup.status, SNAPSHOT);
    // What it came to is said, whatever becomes of its repository.
    if (kept && renewed(kept, edition(backup)).outcome) {
      return withClearing({ intents: [] }, backup, cleaning, now);
    }
    const idle = kept?.job === undefined;
    if (isCancelled(backup) && idle) return withClearing(cancelledEarly(observed), backup, cleaning, now);
    return withClearing(run ? held(observed, run.error) : { intents: [] }, backup, cleaning, now);
  }
  const { record, state } = run.value.decision;
  if (state.phase !== "Ended") return underWay(observed, run.value, frozen, state);
  const doing = carryOut(run.value);
  // The outcome was recorded before, and with it all that is to be said.
  const told =
    hooks?.memory?.end !== undefined || !["", "Running", "Pending"].includes(backup.status?.phase ?? "");
  if (!state.result && told) {
    return withLateRuns(withClearing(doing, backup, cleaning, now), backup, late, now);
  }
  const work = { ...recordsOf(backup.status), [SNAPSHOT]: record };
  return decided(observed, endOfBackup(state), {
    ...doing,
    work,
    ...(state.outcome === "Succeeded" ? { resolved: withoutUIDs(frozen) } : {}),
    ...endedFields(observed, run.value, state),
  });
}

function underWay(
  observed: ObservedBackup,
  outlook: Outlook,
  frozen: Frozen,
  state: Exclude<TaskState, EndedTask>,
): Decision<BackupStatus> {
  const { backup, now } = observed;
  const { record } = outlook.decision;
  const doing = carryOut(outlook);
  const copies = copiesOf(observed, state, frozen);
  const shown = copies.failure ?? shownFailure(backup.status?.failure, record.lastFailure, record, now);
  const progress = shownProgress(backup.status?.progress, progressOf(state), now, progressWords);
  const stand = copies.stand ?? standOfTask(state, "backing up");
  const over = stand.state === "stalled";
  const { [STAGING]: _, ...records } = recordsOf(backup.status);
  return decided(observed, stand, {
    intents: [...doing.intents, ...copies.intents],
    wakeAt: soonest(doing.wakeAt, copies.wakeAt),
    work: {
      ...records,
      [SNAPSHOT]: over ? { ...record, outcome: "Failed" } : record,
      ...(copies.memory ? { [STAGING]: copies.memory } : {}),
    },
    phase: over ? "Failed" : record.startedAt === undefined ? "Pending" : "Running",
    ...runFields(outlook, now),
    ...(shown ? { failure: shown } : {}),
    ...(progress ? { progress } : {}),
    ...shownLog(backup.status, outlook.decision, MOST_LOG),
  });
}

function copiesOf({ backup, copies, now }: ObservedBackup, state: TaskState, frozen: Frozen): CopiesDecision {
  const memory = memoryOf(backup.status);
  if (!copies || copies.phase === "Over") return { ...(memory ? { memory } : {}), intents: [] };
  const { backoffLimit } = failurePolicyOf(backup, frozen);
  return decideCopies({ copies, state, backoffLimit, name: backup.metadata.uid, now });
}

type Fields = BackupFields & Partial<Omit<Decision<never>, "status">>;

function decided(observed: ObservedBackup, stand: Stand, fields: Fields): Decision<BackupStatus> {
  const { backup, frozen, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, progress: __, resolved: ___, logTail, ...kept } = backup.status ?? {};
  const { generation } = backup.metadata;
  return {
    status: {
      phase: "Pending",
      ...kept,
      // The log of what failed is of no use once it has succeeded, and there are many that have.
      ...(logTail && status.phase !== "Succeeded" ? { logTail } : {}),
      origin: originOf(backup),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(frozen.ok ? { resolved: frozen.value } : {}),
      ...status,
      conditions: conditionsFor(backup, stand, snapshotConditions(status), now),
    },
    intents,
    events: newsOf(backup, stand),
    wakeAt,
  };
}

function held(observed: ObservedBackup, problem: Problem): Decision<BackupStatus> {
  return decided(observed, standOf(problem), { wakeAt: wakeFor(problem, observed.now) });
}

/** It was to end before there was a run that could be told to. */
function cancelledEarly(observed: ObservedBackup): Decision<BackupStatus> {
  const { backup } = observed;
  const record = renewed(recordOf(backup.status, SNAPSHOT) ?? FIRST_ATTEMPT, edition(backup));
  const { place: _, notBefore: __, ...kept } = record;
  const work = { ...recordsOf(backup.status), [SNAPSHOT]: { ...kept, outcome: "Cancelled" } };
  return decided(observed, CANCELLED, { phase: "Failed", work });
}

/** Before anything is made in the repository, the Backup must not be able to go without a word. */
function missingHold(backup: Backup, frozen: Frozen): Intent | undefined {
  const labels = backupLabels(backup, frozen);
  const { finalizers = [], labels: present = {} } = backup.metadata;
  const labelled = Object.entries(labels).every(([name, value]) => present[name] === value);
  if (finalizers.includes(SNAPSHOT_CLEANUP) && labelled) return undefined;
  return { type: "Hold", finalizer: SNAPSHOT_CLEANUP, labels };
}
