import { groupOf } from "../../kube/object.ts";
import type { EventNote } from "../../kube/write/events.ts";
import type { Result } from "../../lib/result.ts";
import { soonest } from "../../lib/soonest.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Problem } from "../reconcile/problem.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { recordsOf } from "../reconcile/records.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { readyStateOfTask, sentence } from "../reconcile/task_words.ts";
import type { CleanUp } from "../volumes/staging/clean_up.ts";
import type { BackupDecision, BackupObject } from "./backup.ts";
import { isHeld, SKIP_CLEANUP, skipsCleanup } from "./backup_annotations.ts";
import { beginAgainAt } from "./delete_task.ts";
import type { HeldDeletion } from "./deletion_guard.ts";
import type { DeletionPolicy } from "./plan.ts";
import { withClearing } from "./with_clearing.ts";

export interface ObservedDeletion<More extends { readonly type: string } = never> {
  readonly backup: BackupObject;
  /** The one that keeps it from going. */
  readonly finalizer: string;
  readonly policy: DeletionPolicy;
  /** The namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
  /** What tells a repository elsewhere of snapshots that it keeps because the namespace goes. */
  readonly noteKept?: () => readonly More[];
  /** What follows for the run that makes the snapshots, while it is told to end. */
  readonly ending?: BackupDecision | undefined;
  /** Its snapshots are not to be deleted yet: there are too many deletions, or may be. */
  readonly held?: HeldDeletion | undefined;
  /** The run that deletes them; why there can be none; or absent when there is nothing to delete. */
  readonly deletion?: Result<TaskPlan, Problem> | undefined;
  /** What removes what is staged for it; absent where nothing is. */
  readonly cleaning?: CleanUp | undefined;
  readonly now: number;
}

/** What follows for a backup that is being deleted. */
export function decideDeletion<More extends { readonly type: string } = never>(
  observed: ObservedDeletion<More>,
): BackupDecision<More> {
  const { backup, cleaning, now } = observed;
  return withClearing(decideLeaving(observed), backup, cleaning, now);
}

/** What becomes of its snapshots. */
function decideLeaving<More extends { readonly type: string }>(
  observed: ObservedDeletion<More>,
): BackupDecision<More> {
  const { backup, finalizer, policy, ending, deletion, now } = observed;
  if (!backup.metadata.finalizers?.includes(finalizer)) return { intents: [] };
  if (observed.namespaceGoing) return leftBehind(observed);
  if (skipsCleanup(backup)) {
    return letGo(
      finalizer,
      kept(backup, `The annotation ${groupOf(backup)}/${SKIP_CLEANUP} says so.`, "Warning"),
    );
  }
  // The webhook refuses this; where nobody serves it, or the operator itself deletes the object, the snapshots stay.
  if (isHeld(backup) && policy === "Delete" && !ending) {
    const why = `The annotation ${groupOf(backup)}/hold keeps its snapshots, though the ${backup.kind} was deleted.`;
    return letGo(finalizer, kept(backup, why, "Warning"));
  }
  // What it made by then has to be in the status before it can be looked after.
  if (ending) return ending.status ? { ...ending, status: { ...ending.status, phase: "Deleting" } } : ending;
  if (policy === "Retain") return letGo(finalizer);
  if (policy === "Orphan") return orphaned(observed);
  if (observed.held) {
    return { ...deleting(observed, observed.held.readyState, undefined), wakeAt: observed.held.wakeAt };
  }
  if (deletion === undefined) return letGo(finalizer);
  if (!deletion.ok) {
    const problem = deletion.error;
    return {
      ...deleting(observed, readyStateOf(problem), undefined, problem),
      wakeAt: wakeFor(problem, now),
    };
  }
  const { state, record } = deletion.value.decision;
  if (state.phase !== "Ended") {
    const failure = record.lastFailure;
    const why = failure && { reason: failure.class, message: sentence(failure) };
    return deleting(observed, readyStateOfTask(state, "deleting the snapshots"), deletion.value, why);
  }
  if (state.outcome === "Succeeded") return letGo(finalizer);
  const failure = state.result?.failure ?? record.lastFailure;
  const why = failure
    ? { reason: failure.class, message: `${sentence(failure)} ${AGAIN}` }
    : { reason: REASONS.cancelled, message: `The deletion was cancelled. ${AGAIN}` };
  const decision = deleting(observed, { state: "stalled", ...why }, deletion.value, why);
  return { ...decision, wakeAt: soonest(decision.wakeAt, beginAgainAt(record, now)) };
}

interface At {
  readonly backup: BackupObject;
  readonly now: number;
}

/** Whatever was in the way may be mended where nobody tells of it. */
const AGAIN = "It is tried again every hour while the repository is ready, and at once after an edit.";

function letGo(finalizer: string, ...events: readonly EventNote[]): BackupDecision {
  return { intents: [{ type: "LetGo", finalizer }], events };
}

/** A namespace that goes waits for nobody. A repository elsewhere learns what it should have been rid of. */
function leftBehind<More extends { readonly type: string }>(
  observed: ObservedDeletion<More>,
): BackupDecision<More> {
  const { backup, finalizer, policy, noteKept = () => [] } = observed;
  const decision = letGo(finalizer, kept(backup, "The namespace is being deleted."));
  const { snapshots = [] } = backup.status ?? {};
  if (policy !== "Delete" || snapshots.length === 0) return decision;
  return { ...decision, intents: [...noteKept(), ...decision.intents] };
}

/** Says which snapshots stay behind, for whoever looks for them later. */
function kept({ status }: BackupObject, why: string, type: EventNote["type"] = "Normal"): EventNote {
  const ids = status?.snapshots?.map(({ id }) => id).join(", ");
  return {
    type,
    reason: REASONS.snapshotOrphaned,
    message: `${why} The repository keeps ${ids || "what the run made"}.`,
  };
}

function orphaned(observed: At & { readonly finalizer: string }): BackupDecision {
  const { backup, finalizer, now } = observed;
  const note = kept(backup, "The deletion policy is Orphan.");
  const readyState: ReadyState = { state: "reconciling", reason: note.reason, message: note.message };
  return {
    ...letGo(finalizer, note),
    status: {
      ...backup.status,
      phase: "Deleting",
      orphaned: true,
      conditions: conditionsFor(backup, readyState, [], now),
    },
  };
}

function deleting(
  { backup, now }: At,
  readyState: ReadyState,
  taskPlan: TaskPlan | undefined,
  failure?: Pick<ReadyState, "reason" | "message">,
): BackupDecision {
  const work = {
    ...recordsOf(backup.status),
    ...(taskPlan ? { [taskPlan.task.purpose]: taskPlan.decision.record } : {}),
  };
  const failed = failure
    ? [
        {
          type: CONDITIONS.snapshotDeletionFailed,
          status: "True",
          reason: failure.reason,
          message: failure.message,
        } as const,
      ]
    : [];
  return {
    status: {
      ...backup.status,
      phase: "Deleting",
      work,
      conditions: conditionsFor(backup, readyState, failed, now),
    },
    intents: [],
    ...(taskPlan ? carryOut(taskPlan) : {}),
    events: newsOf(backup, readyState),
  };
}
