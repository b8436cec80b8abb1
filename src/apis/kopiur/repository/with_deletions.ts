import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import { keyOf } from "../../../kube/object.ts";
import { mergeConditions } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Deletions } from "../backup/deletion_guard.ts";
import type { Decision } from "../decision.ts";
import type { AnyRepository } from "../references.ts";
import { soonest } from "../soonest.ts";
import { NAMESPACE_GONE, OLDEST } from "./kept_snapshots.ts";

/** The deletions of a repository's Backups. */
export interface ObservedDeletions {
  readonly repository: AnyRepository;
  readonly deletions: Deletions;
  /** The Backups that are being deleted. */
  readonly deleting: readonly Backup[];
  readonly now: number;
}

type StatusDeletions = NonNullable<RepositoryStatus["deletions"]>;
type Pending = NonNullable<StatusDeletions["oldest"]>[number];

/** The decision about a repository, with what is to be deleted there and is not. */
export function withDeletions<S extends RepositoryStatus>(
  decision: Decision<S>,
  observed: ObservedDeletions,
): Decision<S> {
  const { repository, deletions, now } = observed;
  const status = decision.status ?? (repository.status as S | undefined);
  if (!status) return decision;
  const after = statusDeletions(status.deletions, observed);
  const said = heldNews(status.deletions, after, deletions.held?.message);
  return {
    ...decision,
    status: {
      ...status,
      ...(after ? { deletions: after } : {}),
      ...(said ? { conditions: withHeld(status, said, now) } : {}),
    },
    events: [...(decision.events ?? []), ...(said ? [said] : [])],
    wakeAt: soonest(decision.wakeAt, deletions.wakeAt),
  };
}

function statusDeletions(
  before: StatusDeletions | undefined,
  { deletions, deleting, now }: ObservedDeletions,
): StatusDeletions | undefined {
  const { held, recent } = deletions;
  const kept = (before?.oldest ?? []).filter(({ reason }) => reason === NAMESPACE_GONE);
  const blocked = deleting.flatMap(blockedDeletions);
  const pending = blocked.length;
  // What is kept is remembered here alone: however much is blocked, half of the places are left for it.
  const places = OLDEST - Math.min(kept.length, OLDEST / 2);
  const oldest = [...oldestFirst(blocked).slice(0, places), ...kept].slice(0, OLDEST);
  const after: StatusDeletions = {
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

/** Snapshots of a Backup that should be gone, and why they are not. */
function blockedDeletions({ metadata, status }: Backup): readonly Pending[] {
  const why = status?.conditions?.find(({ type }) => type === CONDITIONS.snapshotDeletionFailed);
  if (why?.status !== "True") return [];
  return (status?.snapshots ?? []).map(({ kopiaSnapshotID: snapshotID }) => ({
    snapshotID,
    backup: keyOf(metadata),
    since: metadata.deletionTimestamp ?? why.lastTransitionTime,
    reason: why.reason,
  }));
}

function oldestFirst(pending: readonly Pending[]): readonly Pending[] {
  return pending.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}

/** What is told when deletions come to be held, or are not any more. */
function heldNews(
  before: StatusDeletions | undefined,
  after: StatusDeletions | undefined,
  message = "",
): EventNote | undefined {
  const wasHeld = (before?.held ?? 0) > 0;
  if (wasHeld === (after?.held ?? 0) > 0) return undefined;
  return wasHeld
    ? { type: "Normal", reason: "DeletionsReleased", message: "No deletions are held any more." }
    : { type: "Warning", reason: "DeletionsHeld", message: `${message}.` };
}

function withHeld({ conditions = [] }: RepositoryStatus, { type, reason, message }: EventNote, now: number) {
  const status = type === "Warning" ? "True" : "False";
  return mergeConditions(conditions, [{ type: CONDITIONS.deletionsHeld, status, reason, message }], now);
}
