import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import { REASONS } from "../../../../kinds/kopiur/reasons.ts";
import { keyOf } from "../../../../kube/object.ts";
import type { EventNote } from "../../../../kube/write/events.ts";
import type { Intent } from "../../decision.ts";
import { blocked, type Problem } from "../../problem.ts";
import type { Stand } from "../../verdicts.ts";
import { deletionPolicyOf, skipsCleanup } from "../backup_wishes.ts";
import { standIn } from "../with_hooks.ts";
import { type Consent, isGiven } from "./consent.ts";
import { type DelegatePlace, editsFor, isDelegateOf, isUpToDate, lastWordsFor } from "./delegate_of.ts";

/** A Backup that has another do work for it, and that other, as far as it is there. */
export interface Delegating {
  readonly backup: Backup;
  readonly problem: Problem | undefined;
  readonly consent: Consent;
  readonly delegate: Backup | undefined;
  /** The asking one's own namespace is being deleted, and everything in it. */
  readonly namespaceGoing: boolean;
}

/** What becomes of the other one when the asking one goes. */
export type DelegateEnd =
  | { readonly type: "Over"; readonly events: readonly EventNote[] }
  | { readonly type: "Held"; readonly problem: Problem }
  | { readonly type: "Going"; readonly stand: Stand; readonly intents: readonly Intent[] };

export function endOfDelegate({
  backup,
  problem,
  consent,
  delegate,
  namespaceGoing,
}: Delegating): DelegateEnd {
  if (!delegate || !isDelegateOf(delegate, backup)) return { type: "Over", events: [] };
  const policy = deletionPolicyOf(backup, delegate.spec.deletionPolicy);
  const keeps = skipsCleanup(backup) || policy !== "Delete";
  const going = delegate.metadata.deletionTimestamp !== undefined;
  if (namespaceGoing || (keeps && !going)) return leave(delegate);
  if (!isGiven(consent)) {
    if (consent === "unknown" && problem) return { type: "Held", problem };
    return leave(delegate, " Nobody there consents to its deletion any more.");
  }
  const stand: Stand = {
    state: "reconciling",
    reason: "Deleting",
    message: `Backup ${keyOf(delegate)} is deleted first: ${standIn(delegate.status).message}`,
  };
  const patch = lastWordsFor(delegate, backup);
  if (patch) return { type: "Going", stand, intents: [adapt(delegate, patch)] };
  const remove: Intent = { type: "Delegate", intent: { type: "Remove", delegate } };
  return { type: "Going", stand, intents: going ? [] : [remove] };
}

/** It goes without the other one. What becomes of one that goes already says that one alone. */
function leave(delegate: Backup, why = ""): DelegateEnd {
  if (delegate.metadata.deletionTimestamp) return { type: "Over", events: [] };
  const message = `Backup ${keyOf(delegate)} stays, and its snapshots with it.${why}`;
  return { type: "Over", events: [{ type: "Normal", reason: REASONS.snapshotOrphaned, message }] };
}

function adapt(delegate: Backup, patch: object): Intent {
  return { type: "Delegate", intent: { type: "Adapt", delegate, patch } };
}

export interface DelegateWords {
  readonly stand: Stand;
  readonly intents: readonly Intent[];
  /** Why an edit of the asking one is not passed on. */
  readonly unheard: Problem | undefined;
}

/** How the other one stands, in the words of the one that asked, and what it is to be told. */
export function wordsOfDelegate(
  { backup, problem, consent }: Pick<Delegating, "backup" | "problem" | "consent">,
  delegate: Backup,
): DelegateWords {
  const told = standIn(delegate.status);
  const unheard = isGiven(consent) || isUpToDate(delegate, backup) ? undefined : problem;
  const why = unheard ? ` Edits are not passed on: ${unheard.message}` : "";
  const message = `Backup ${keyOf(delegate)}: ${told.message || "it has not begun yet."}${why}`;
  const edits = editsFor(delegate, backup, consent);
  return { stand: { ...told, message }, intents: edits ? [adapt(delegate, edits)] : [], unheard };
}

export function goneAway(place: DelegatePlace): Stand {
  const message = `Backup ${keyOf(place)}, which did the work, was deleted before its end. Create another one when it is wanted.`;
  return { state: "stalled", reason: "DelegateDeleted", message };
}

export function nameTaken(delegate: Backup): Problem {
  return blocked(
    "NameTaken",
    `Backup ${keyOf(delegate)} is there already and was not made for this one, so that nobody does the work. Delete it, or create this Backup under another name.`,
  );
}
