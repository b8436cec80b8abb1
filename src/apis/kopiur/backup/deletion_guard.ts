import { durationMs } from "../../../core/policy/duration.ts";
import {
  type Deletion,
  decideMassDeletion,
  MASS_DELETION,
  type MassDeletionDecision,
} from "../../../core/policy/mass_deletion.ts";
import { FirstSeen } from "../../../core/work/first_seen.ts";
import { ANNOTATIONS, DELETION_REASON_ANNOTATION } from "../../../kinds/kopiur/annotations.ts";
import { MOST_REMEMBERED } from "../../../kinds/kopiur/deletion_limits.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { BY_REPOSITORY, type KopiurCaches } from "../caches.ts";
import { recordsOf } from "../records.ts";
import { type AnyRepository, repositoryText } from "../references.ts";
import type { Stand } from "../verdicts.ts";
import { isDiscovered } from "./backup_labels.ts";
import { deletionPolicyOf, isHeld, skipsCleanup } from "./backup_wishes.ts";
import { DELETE_PREFIX, toDelete } from "./delete_task.ts";

/** Of a Backup's UID, in characters. */
const FINGERPRINT = 6;
/** How soon to look whether the repository has taken note of a deletion, in milliseconds. */
const LOOK_AGAIN = 2_000;

export interface GuardOptions {
  readonly caches: Pick<KopiurCaches, "backups" | "namespaces">;
  readonly clock: Clock;
}

/** How the deletions of a repository's Backups stand. */
export interface Deletions extends MassDeletionDecision {
  /** Those of the recent past, as the repository remembers them: also what has been carried out counts. */
  readonly recent: readonly string[];
}

/** A deletion that is not to be carried out yet, in the words of its Backup. */
export interface HeldDeletion {
  readonly stand: Stand;
  readonly wakeAt?: number;
}

/**
 * Holds deletions of Backups that come from outside, when there are more of them than is usual. A deletion is carried
 * out only once its repository remembers it, where it has to: so those that were carried out still count after a restart.
 */
export class DeletionGuard {
  readonly #options: GuardOptions;
  readonly #seen: FirstSeen;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#seen = new FirstSeen(options.clock);
  }

  /** The Backups of a repository that are being deleted. */
  deleting(repository: AnyRepository): readonly Backup[] {
    const all = this.#options.caches.backups.indexed(BY_REPOSITORY, keyOf(repository));
    return all.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  }

  /** What follows for all deletions of a repository's Backups. */
  survey(repository: AnyRepository): Deletions {
    const { metadata, spec, status } = repository;
    const now = this.#options.clock.now();
    const pending = this.deleting(repository)
      .filter((backup) => this.#counts(backup))
      .map(({ metadata: { uid, deletionTimestamp = "" } }): Deletion => {
        const requestedAt = Date.parse(deletionTimestamp);
        return { id: uid, requestedAt, seenAt: now - this.#seen.age(uid) };
      });
    const here = new Set(pending.map(entryOf));
    const remembered = status?.deletions?.recent ?? [];
    const done = remembered.map(doneDeletion).filter(({ id }) => !here.has(id));
    const { maxDeletions: most, window } = spec.deletionGuard;
    const settings = { ...MASS_DELETION, most, window: durationMs(window) };
    const acknowledged = metadata.annotations?.[ANNOTATIONS.acknowledgeDeletions];
    const decision = decideMassDeletion({ deletions: [...done, ...pending], acknowledged, now, settings });
    return { ...decision, recent: recentOf([...pending, ...done], settings.window) };
  }

  /** Why a Backup's snapshots are not to be deleted now; undefined where they may be. */
  holds(backup: Backup, repository: AnyRepository): HeldDeletion | undefined {
    const begun = Object.keys(recordsOf(backup.status)).some((purpose) => purpose.startsWith(DELETE_PREFIX));
    if (begun || !this.#counts(backup)) return undefined;
    const { uid, deletionTimestamp = "" } = backup.metadata;
    const now = this.#options.clock.now();
    const { release, held, recent, wakeAt } = this.survey(repository);
    if (held?.ids.includes(uid)) return { stand: heldStand(repository) };
    const entry = entryOf({ id: uid, requestedAt: Date.parse(deletionTimestamp) });
    // What lies too far back to matter to a later one, or is more than can be remembered, is never noted.
    const noted = !recent.includes(entry) || (repository.status?.deletions?.recent?.includes(entry) ?? false);
    if (release.includes(uid) && noted) return undefined;
    return { stand: PAUSING, wakeAt: Math.max(wakeAt ?? 0, now + LOOK_AGAIN) };
  }

  /** What the operator deletes itself does not count, nor what deletes nothing in the repository. */
  #counts(backup: Backup): boolean {
    const { annotations = {}, namespace = "" } = backup.metadata;
    // An operator that died before it could delete leaves its mark; what is held it would not delete.
    const ours = annotations[DELETION_REASON_ANNOTATION] && !isHeld(backup);
    if (ours || skipsCleanup(backup)) return false;
    const policy = deletionPolicyOf(backup, backup.status?.resolved?.deletionPolicy);
    if (policy !== "Delete" || isDiscovered(backup) || !toDelete(backup, new Set())) return false;
    const place = this.#options.caches.namespaces.get(keyOf({ name: namespace }));
    return place?.metadata.deletionTimestamp === undefined;
  }
}

/** How a repository remembers a deletion: when it was asked for, in seconds, and whose it was. */
export function entryOf({ id, requestedAt }: Pick<Deletion, "id" | "requestedAt">): string {
  return `${Math.floor(requestedAt / 1000).toString(36)}-${fingerprint(id, FINGERPRINT)}`;
}

/** Earlier versions wrote more of the fingerprint, for which there is no room. */
function doneDeletion(entry: string): Deletion {
  const [at = "", whose = ""] = entry.split("-", 2);
  const requestedAt = Number.parseInt(at, 36) * 1000;
  return { id: `${at}-${whose.slice(-FINGERPRINT)}`, requestedAt, seenAt: requestedAt, done: true };
}

/** The newest, as far back as they can matter to a later one. */
function recentOf(deletions: readonly Deletion[], window: number): readonly string[] {
  const sorted = deletions.toSorted((a, b) => b.requestedAt - a.requestedAt);
  const newest = sorted[0]?.requestedAt ?? 0;
  return sorted
    .filter(({ requestedAt }) => requestedAt >= newest - window)
    .slice(0, MOST_REMEMBERED)
    .map((one) => (one.done ? one.id : entryOf(one)))
    .sort();
}

const PAUSING: Stand = {
  state: "reconciling",
  reason: "DeletionPaused",
  message: "Its snapshots are deleted in a moment: before that it is seen whether many are deleted at once.",
};

function heldStand(repository: AnyRepository): Stand {
  const { maxDeletions, window } = repository.spec.deletionGuard;
  return {
    state: "reconciling",
    reason: REASONS.deletionHeld,
    message: `More than ${maxDeletions} Backups of ${repositoryText(keyOf(repository))} were deleted within ${window}, so that nothing is deleted in the repository for now. If that is meant, annotate the repository with ${ANNOTATIONS.acknowledgeDeletions} and the value of its status.deletions.acknowledgeToken. If not, set deletionPolicy: Retain on this Backup: it goes, and its snapshots stay.`,
    warning: true,
  };
}
