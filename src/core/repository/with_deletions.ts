import { mergeConditions } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import type { MassDeletionDecision } from "../policy/mass_deletion.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import { NAMESPACE_GONE, OLDEST } from "./kept_snapshots.ts";
import type { DeletionsState, PendingDeletion, Repository, RepositoryState } from "./repository.ts";

/** How the deletions of a repository's backups stand. */
export interface Deletions extends MassDeletionDecision {
  /** Those of the recent past, as the repository remembers them: also what has been carried out counts. */
  readonly recent: readonly string[];
}

export interface ObservedDeletions {
  readonly repository: Repository;
  readonly deletions: Deletions;
  /** Snapshots that should be gone and could not be deleted. */
  readonly blocked: readonly PendingDeletion[];
  readonly now: number;
}

/** The decision about a repository, with what is to be deleted there and is not. */
export function withDeletions(
  decision: Decision<RepositoryState>,
  observed: ObservedDeletions,
): Decision<RepositoryState> {
  const { repository, deletions, now } = observed;
  const status = decision.status ?? repository.status;
  if (!status) return decision;
  const after = deletionsAfter(status.deletions, observed);
  const said = heldNews(status.deletions, after, deletions.held?.message);
  // More may have come to be held since that was told.
  const held = said ?? (deletions.held && heldNote(deletions.held.message));
  return {
    ...decision,
    status: {
      ...status,
      ...(after ? { deletions: after } : {}),
      ...(held ? { conditions: withHeld(status, held, now) } : {}),
    },
    events: [...(decision.events ?? []), ...(said ? [said] : [])],
    wakeAt: soonest(decision.wakeAt, deletions.wakeAt),
  };
}

function deletionsAfter(
  before: DeletionsState | undefined,
  { deletions, blocked, now }: ObservedDeletions,
): DeletionsState | undefined {
  const { held, recent } = deletions;
  const kept = (before?.oldest ?? []).filter(({ reason }) => reason === NAMESPACE_GONE);
  const pending = blocked.length;
  // What is kept is remembered here alone: however much is blocked, half of the places are left for it.
  const places = OLDEST - Math.min(kept.length, OLDEST / 2);
  const oldest = [...oldestFirst(blocked).slice(0, places), ...kept].slice(0, OLDEST);
  const after: DeletionsState = {
    ...(before?.kept === undefined ? {} : { kept: before.kept }),
    ...(pending > 0 || before?.pending !== undefined ? { pending } : {}),
    ...(oldest.length > 0 ? { oldest } : {}),
    ...(recent.length > 0 ? { recent } : {}),
    ...(held
      ? {
          held: held.ids.length,
          heldSince: before?.heldSince ?? timestamp(now),
          acknowledgeToken: held.token,
        }
      : {}),
  };
  return before === undefined && Object.keys(after).length === 0 ? undefined : after;
}

function oldestFirst(pending: readonly PendingDeletion[]): readonly PendingDeletion[] {
  return pending.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}

/** What is told when deletions come to be held, or are not any more. */
function heldNews(
  before: DeletionsState | undefined,
  after: DeletionsState | undefined,
  message = "",
): EventNote | undefined {
  const wasHeld = (before?.held ?? 0) > 0;
  if (wasHeld === (after?.held ?? 0) > 0) return undefined;
  return wasHeld
    ? { type: "Normal", reason: "DeletionsReleased", message: "No deletions are held any more." }
    : heldNote(message);
}

function heldNote(message: string): EventNote {
  return { type: "Warning", reason: "DeletionsHeld", message: `${message}.` };
}

function withHeld({ conditions = [] }: RepositoryState, { type, reason, message }: EventNote, now: number) {
  const status = type === "Warning" ? "True" : "False";
  return mergeConditions(conditions, [{ type: CONDITIONS.deletionsHeld, status, reason, message }], now);
}
