import type { CleanUp } from "../../../core/volumes/staging/clean_up.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { Result } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import type { Problem } from "../problem.ts";
import { recordsOf } from "../records.ts";
import { NAMESPACE_GONE } from "../repository/kept_snapshots.ts";
import { sentence, standOfTask } from "../run_words.ts";
import { soonest } from "../soonest.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { skipsCleanup } from "./backup_wishes.ts";
import { beginAgainAt } from "./delete_task.ts";
import type { HeldDeletion } from "./deletion_guard.ts";
import { withClearing } from "./with_clearing.ts";

export interface ObservedDeletion {
  readonly backup: Backup;
  readonly policy: "Delete" | "Retain" | "Orphan";
  /** The namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
  /** What follows for the run that makes the snapshots, while it is told to end. */
  readonly ending?: Decision<BackupStatus> | undefined;
  /** Its snapshots are not to be deleted yet: there are too many deletions, or may be. */
  readonly held?: HeldDeletion | undefined;
  /** The run that deletes them; why there can be none; or absent when there is nothing to delete. */
  readonly deletion?: Result<Outlook, Problem> | undefined;
  /** What removes what is staged for it; absent where nothing is. */
  readonly cleaning?: CleanUp | undefined;
  readonly now: number;
}

/** What follows for a Backup that is being deleted. */
export function decideDeletion(observed: ObservedDeletion): Decision<BackupStatus> {
  const { backup, cleaning, now } = observed;
  return withClearing(decideLeaving(observed), backup, cleaning, now);
}

/** What becomes of its snapshots. */
function decideLeaving(observed: ObservedDeletion): Decision<BackupStatus> {
  const { backup, policy, ending, deletion, now } = observed;
  if (!backup.metadata.finalizers?.includes(SNAPSHOT_CLEANUP)) return { intents: [] };
  if (observed.namespaceGoing) return leftBehind(observed);
  if (skipsCleanup(backup)) {
    return letGo(kept(backup, `The annotation ${ANNOTATIONS.skipSnapshotCleanup} says so.`, "Warning"));
  }
  // What it made by then has to be in the status before it can be looked after.
  if (ending) return ending.status ? { ...ending, status: { ...ending.status, phase: "Deleting" } } : ending;
  if (policy === "Retain") return letGo();
  if (policy === "Orphan") return orphaned(observed);
  if (observed.held) {
    return { ...deleting(observed, observed.held.stand, undefined), wakeAt: observed.held.wakeAt };
  }
  if (deletion === undefined) return letGo();
  if (!deletion.ok) {
    const problem = deletion.error;
    return { ...deleting(observed, standOf(problem), undefined, problem), wakeAt: wakeFor(problem, now) };
  }
  const { state, record } = deletion.value.decision;
  if (state.phase !== "Ended") {
    const failure = record.lastFailure;
    const why = failure && { reason: failure.class, message: sentence(failure) };
    return deleting(observed, standOfTask(state, "deleting the snapshots"), deletion.value, why);
  }
  if (state.outcome === "Succeeded") return letGo();
  const failure = state.result?.failure ?? record.lastFailure;
  const why = failure
    ? { reason: failure.class, message: `${sentence(failure)} ${AGAIN}` }
    : { reason: REASONS.cancelled, message: `The deletion was cancelled. ${AGAIN}` };
  const decision = deleting(observed, { state: "stalled", ...why }, deletion.value, why);
  return { ...decision, wakeAt: soonest(decision.wakeAt, beginAgainAt(record, now)) };
}

/** Whatever was in the way may be mended where nobody tells of it. */
const AGAIN = "It is tried again every hour while the repository is ready, and at once after an edit.";

function letGo(...events: readonly EventNote[]): Decision<never> {
  return { intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }], events };
}

/** A namespace that goes waits for nobody. A repository elsewhere learns what it should have been rid of. */
function leftBehind({ backup, policy }: ObservedDeletion): Decision<never> {
  const { namespace = "", deletionTimestamp = "" } = backup.metadata;
  const decision = letGo(kept(backup, "The namespace is being deleted."));
  const { kind, name, namespace: place = namespace } = backup.status?.resolved?.repository ?? {};
  const elsewhere = kind === "ClusterRepository" || place !== namespace;
  if (policy !== "Delete" || name === undefined || !elsewhere) return decision;
  const snapshots = (backup.status?.snapshots ?? []).map(({ kopiaSnapshotID: snapshotID }) => ({
    snapshotID,
    backup: keyOf(backup),
    since: deletionTimestamp,
    reason: NAMESPACE_GONE,
  }));
  if (snapshots.length === 0) return decision;
  const repository = kind === "ClusterRepository" ? { name } : { namespace: place, name };
  return {
    ...decision,
    intents: [{ type: "NoteKept", kept: { repository, snapshots } }, ...decision.intents],
  };
}

/** Says which snapshots stay behind, for whoever looks for them later. */
function kept({ status }: Backup, why: string, type: EventNote["type"] = "Normal"): EventNote {
  const ids = status?.snapshots?.map(({ kopiaSnapshotID }) => kopiaSnapshotID).join(", ");
  return {
    type,
    reason: REASONS.snapshotOrphaned,
    message: `${why} The repository keeps ${ids || "what the run made"}.`,
  };
}

function orphaned(observed: ObservedDeletion): Decision<BackupStatus> {
  const { backup, now } = observed;
  const note = kept(backup, "The deletion policy is Orphan.");
  const stand: Stand = { state: "reconciling", reason: note.reason, message: note.message };
  return {
    ...letGo(note),
    status: {
      ...backup.status,
      phase: "Deleting",
      orphaned: true,
      conditions: conditionsFor(backup, stand, [], now),
    },
  };
}

function deleting(
  { backup, now }: ObservedDeletion,
  stand: Stand,
  outlook: Outlook | undefined,
  failure?: Pick<Stand, "reason" | "message">,
): Decision<BackupStatus> {
  const work = {
    ...recordsOf(backup.status),
    ...(outlook ? { [outlook.task.purpose]: outlook.decision.record } : {}),
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
      conditions: conditionsFor(backup, stand, failed, now),
    },
    intents: [],
    ...(outlook ? carryOut(outlook) : {}),
    events: newsOf(backup, stand),
  };
}
