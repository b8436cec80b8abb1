import { SNAPSHOT_CLEANUP } from "../../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../../kinds/kopiur/labels.ts";
import { keyOf } from "../../../../kube/object.ts";
import { unreachable } from "../../../../lib/result.ts";
import type { Decision, Intent } from "../../decision.ts";
import type { Problem } from "../../problem.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../../verdicts.ts";
import { originOf } from "../backup_labels.ts";
import { CANCELLED } from "../backup_progress.ts";
import { isCancelled } from "../backup_wishes.ts";
import type { Consent } from "./consent.ts";
import { delegateDraft, delegateName, isDelegateOf } from "./delegate_of.ts";
import { endOfDelegate, goneAway, nameTaken, wordsOfDelegate } from "./delegate_words.ts";

export interface ObservedDelegation {
  /** Its recipe is in another namespace. */
  readonly backup: Backup;
  /** Why the recipe may not be run from here. */
  readonly problem: Problem | undefined;
  /** Who lets it be run from here. */
  readonly consent: Consent;
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
  const { backup, problem, consent, delegate } = observed;
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
  const make = { type: "Delegate", intent: { type: "Make", draft: delegateDraft(backup, consent) } } as const;
  const message = `Backup ${keyOf(delegateName(backup))} is made beside the recipe, and does the work.`;
  const stand: Stand = { state: "reconciling", reason: "Delegated", message };
  return decided(observed, stand, "Pending", { backupRef: delegateName(backup) }, [make]);
}

function hasEnded({ status }: Backup): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Why nobody does the work any more, or is to begin it. */
function endWithout(backup: Backup): Stand | undefined {
  if (backup.status?.backupRef?.uid !== undefined) return goneAway(delegateName(backup));
  return isCancelled(backup) ? CANCELLED : undefined;
}

/** This one goes. The other goes with it by its policy, and only if it is known to be its own to take along. */
function decideEnd(observed: ObservedDelegation): Decision<BackupStatus> {
  if (!observed.backup.metadata.finalizers?.includes(SNAPSHOT_CLEANUP)) return { intents: [] };
  const end = endOfDelegate(observed);
  switch (end.type) {
    case "Over":
      return { intents: [{ type: "LetGo", finalizer: SNAPSHOT_CLEANUP }], events: end.events };
    case "Held":
      return held(observed, end.problem, "Deleting");
    case "Going":
      return decided(observed, end.stand, "Deleting", {}, end.intents);
    default:
      return unreachable(end);
  }
}

/** What the other one says. Its snapshots are its own: whoever restores them names it, and is asked there. */
function mirrored(observed: ObservedDelegation, delegate: Backup): Decision<BackupStatus> {
  const { backup, now } = observed;
  const { phase = "Pending", timing, stats, progress, failure, losses } = delegate.status ?? {};
  const { stand, intents, unheard } = wordsOfDelegate(observed, delegate);
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
  const decision = decided(observed, stand, shown, fields, intents);
  return unheard ? { ...decision, wakeAt: wakeFor(unheard, now) } : decision;
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

function held(
  observed: ObservedDelegation,
  problem: Problem,
  phase: BackupStatus["phase"] = "Pending",
): Decision<BackupStatus> {
  const wakeAt = wakeFor(problem, observed.now);
  return { ...decided(observed, standOf(problem), phase), wakeAt };
}
