import { skipsCleanup } from "../../../core/backup/backup_annotations.ts";
import { blocked, type Problem } from "../../../core/reconcile/problem.ts";
import { type ReadyState, readyStateIn } from "../../../core/reconcile/ready_state.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { deletionPolicyOf } from "../backup/backup_labels.ts";
import {
  type ChildIntent,
  type ChildPlace,
  type Consent,
  editsFor,
  isChildOf,
  isGiven,
  isUpToDate,
  lastWordsFor,
} from "./child.ts";

/** A Backup and its child, as far as that is there. */
export interface Parent {
  readonly backup: Backup;
  readonly problem: Problem | undefined;
  readonly consent: Consent;
  readonly child: Backup | undefined;
  /** The parent's own namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
}

/** What becomes of a child when its parent goes. */
export type ChildEnd =
  | { readonly type: "Over"; readonly events: readonly EventNote[] }
  | { readonly type: "Held"; readonly problem: Problem }
  | { readonly type: "Going"; readonly readyState: ReadyState; readonly intents: readonly ChildIntent[] };

export function endOfChild({ backup, problem, consent, child, namespaceGoing }: Parent): ChildEnd {
  if (!child || !isChildOf(child, backup)) return { type: "Over", events: [] };
  const policy = deletionPolicyOf(backup, child.spec.deletionPolicy);
  const keeps = skipsCleanup(backup) || policy !== "Delete";
  const going = child.metadata.deletionTimestamp !== undefined;
  if (namespaceGoing || (keeps && !going)) return leave(child);
  if (!isGiven(consent)) {
    if (consent === "unknown" && problem) return { type: "Held", problem };
    return leave(child, " Nobody there consents to its deletion any more.");
  }
  const readyState: ReadyState = {
    state: "reconciling",
    reason: "Deleting",
    message: `Backup ${keyOf(child)} is deleted first: ${readyStateIn(child.status).message}`,
  };
  const patch = lastWordsFor(child, backup);
  if (patch) return { type: "Going", readyState, intents: [adapt(child, patch)] };
  return { type: "Going", readyState, intents: going ? [] : [{ type: "Remove", child }] };
}

/** The parent goes without it. What becomes of one that goes already says that one alone. */
function leave(child: Backup, why = ""): ChildEnd {
  if (child.metadata.deletionTimestamp) return { type: "Over", events: [] };
  const message = `Backup ${keyOf(child)} stays, and its snapshots with it.${why}`;
  return { type: "Over", events: [{ type: "Normal", reason: REASONS.snapshotOrphaned, message }] };
}

function adapt(child: Backup, patch: object): ChildIntent {
  return { type: "Adapt", child, patch };
}

export interface ChildWords {
  readonly readyState: ReadyState;
  readonly intents: readonly ChildIntent[];
  /** Why an edit of the parent is not passed on. */
  readonly unheard: Problem | undefined;
}

/** How a child stands, in the words of its parent, and what it is to be told. */
export function wordsOfChild(
  { backup, problem, consent }: Pick<Parent, "backup" | "problem" | "consent">,
  child: Backup,
): ChildWords {
  const told = readyStateIn(child.status);
  const unheard = isGiven(consent) || isUpToDate(child, backup) ? undefined : problem;
  const why = unheard ? ` Edits are not passed on: ${unheard.message}` : "";
  const message = `Backup ${keyOf(child)}: ${told.message || "it has not begun yet."}${why}`;
  const edits = editsFor(child, backup, consent);
  return { readyState: { ...told, message }, intents: edits ? [adapt(child, edits)] : [], unheard };
}

export function goneAway(place: ChildPlace): ReadyState {
  const message = `Backup ${keyOf(place)}, which did the work, was deleted before its end. Create a new Backup to retry.`;
  return { state: "stalled", reason: "OtherBackupDeleted", message };
}

export function nameTaken(child: Backup): Problem {
  return blocked(
    "NameTaken",
    `Backup ${keyOf(child)} is there already and was not made for this one: it does not do the work of this one. Delete it, or create this Backup under another name.`,
  );
}
