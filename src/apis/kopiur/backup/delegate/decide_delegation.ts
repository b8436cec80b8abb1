import { ANNOTATIONS } from "../../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../../kinds/kopiur/labels.ts";
import { REASONS } from "../../../../kinds/kopiur/reasons.ts";
import { keyOf } from "../../../../kube/object.ts";
import type { Decision, Intent } from "../../decision.ts";
import { blocked, type Problem } from "../../problem.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../../verdicts.ts";
import { originOf } from "../backup_labels.ts";
import { isCancelled } from "../is_cancelled.ts";
import { standIn } from "../with_hooks.ts";
import { delegateDraft, delegateName, editsFor, isDelegateOf } from "./delegate_of.ts";

export interface ObservedDelegation {
  /** Its recipe is in another namespace. */
  readonly backup: Backup;
  /** Why the recipe may not be run from here. */
  readonly problem: Problem | undefined;
  /** What has the name of the Backup that does the work, beside the recipe. */
  readonly delegate: Backup | undefined;
  /** The Backup's own namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
  readonly now: number;
}

/**
 * What follows for a Backup whose recipe is in another namespace. Volumes, credentials and hooks are the recipe's, and
 * stay where they are: a Backup beside the recipe does the work, and this one tells how it goes.
 */
export function decideDelegation(observed: ObservedDelegation): Decision<BackupStatus> {
  const { backup, problem, delegate } = observed;
  if (backup.metadata.deletionTimestamp) return decideEnd(observed);
  if (!backup.metadata.finalizers?.includes(SNAPSHOT_CLEANUP)) {
    const labels = { [LABELS.origin]: originOf(backup) };
    return { intents: [{ type: "Hold", finalizer: SNAPSHOT_CLEANUP, labels }] };
  }
  if (delegate && !isDelegateOf(delegate, backup)) return held(observed, nameTaken(delegate));
  if (delegate) return mirrored(observed, delegate);
  const end = endWithout(backup);
  if (end) return hasEnded(backup) ? { intents: [] } : decided(observed, end, "Failed");
  if (problem) return held(observed, problem);
  const make = { type: "Delegate", intent: { type: "Make", draft: delegateDraft(backup) } } as const;
  const message = `Backup ${keyOf(delegateName(backup))} is made beside the recipe, and does the work.`;
  const stand: Stand = { state: "reconciling", reason: "Delegated", message };
  return decided(observed, stand, "Pending", { backupRef: delegateName(backup) }, [make]);
}

function hasEnded({ status }: Backup): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Why nobody does the work any more, or is to begin it. */
function endWithout(backup: Backup): Stand | undefined {
  if (backup.status?.backupRef?.uid !== undefined) return goneAway(backup);
  return isCancelled(backup) ? CANCELLED : undefined;
}

/** This one goes. The other goes with it by its policy, and only if it is known to be its own. */
function decideEnd(observed: ObservedDelegation): Decision<BackupStatus> {
  const { backup, delegate, namespaceGoing } = observed;
  const { finalizers, annotations } = backup.metadata;
  if (!finalizers?.includes(SNAPSHOT_CLEANUP)) return { intents: [] };
  const own = delegate && isDelegateOf(delegate, backup) ? delegate : undefined;
  const skips = annotations?.[ANNOTATIONS.skipSnapshotCleanup] === "true";
  const policy = backup.spec.deletionPolicy ?? own?.spec.deletionPolicy ?? "Delete";
  if (!own || namespaceGoing || skips || policy !== "Delete") {
    const message = own && `Backup ${keyOf(own)} stays, and its snapshots with it.`;
    return {
      intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }],
      events: message ? [{ type: "Normal", reason: REASONS.snapshotOrphaned, message }] : [],
    };
  }
  const stand: Stand = {
    state: "reconciling",
    reason: "Deleting",
    message: `Backup ${keyOf(own)} is deleted first: ${standIn(own.status).message}`,
  };
  const intents: readonly Intent[] = own.metadata.deletionTimestamp
    ? []
    : [{ type: "Delegate", intent: { type: "Remove", delegate: own } }];
  return decided(observed, stand, "Deleting", {}, intents);
}

/** What the other one says. Its snapshots are its own: whoever restores them names it, and is asked there. */
function mirrored(observed: ObservedDelegation, delegate: Backup): Decision<BackupStatus> {
  const { backup } = observed;
  const { phase = "Pending", timing, stats, progress, failure, losses } = delegate.status ?? {};
  const told = standIn(delegate.status);
  const message = `Backup ${keyOf(delegate)}: ${told.message || "it has not begun yet."}`;
  const edits = editsFor(delegate, backup);
  const fields = {
    backupRef: { ...delegateName(backup), uid: delegate.metadata.uid },
    ...(timing ? { timing } : {}),
    ...(stats ? { stats } : {}),
    ...(progress ? { progress } : {}),
    ...(failure ? { failure } : {}),
    ...(losses ? { losses } : {}),
  };
  // One that ended and goes afterwards has ended nonetheless.
  const before = backup.status?.phase ?? "Pending";
  const shown = phase === "Deleting" ? before : phase;
  const adapt: readonly Intent[] = edits
    ? [{ type: "Delegate", intent: { type: "Adapt", delegate, patch: edits } }]
    : [];
  return decided(observed, { ...told, message }, shown, fields, adapt);
}

function decided(
  { backup, now }: ObservedDelegation,
  stand: Stand,
  phase: BackupStatus["phase"],
  fields: Partial<BackupStatus> = {},
  intents: readonly Intent[] = [],
): Decision<BackupStatus> {
  const { progress: _, failure: __, ...kept } = backup.status ?? {};
  const { generation } = backup.metadata;
  return {
    status: {
      ...kept,
      origin: originOf(backup),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...fields,
      ...(phase ? { phase } : {}),
      conditions: conditionsFor(backup, stand, [], now),
    },
    intents,
    events: newsOf(backup, stand),
  };
}

function held(observed: ObservedDelegation, problem: Problem): Decision<BackupStatus> {
  const wakeAt = wakeFor(problem, observed.now);
  return { ...decided(observed, standOf(problem), "Pending"), wakeAt };
}

const CANCELLED: Stand = {
  state: "stalled",
  reason: REASONS.cancelled,
  message: "The backup was cancelled. Create another one when it is wanted.",
};

function goneAway(backup: Backup): Stand {
  const message = `Backup ${keyOf(delegateName(backup))}, which did the work, was deleted before its end. Create another one when it is wanted.`;
  return { state: "stalled", reason: "DelegateDeleted", message };
}

function nameTaken(delegate: Backup): Problem {
  return blocked(
    "NameTaken",
    `Backup ${keyOf(delegate)} is there already and was not made for this one, so that nobody does the work. Delete it, or create this Backup under another name.`,
  );
}
