import type { Cache } from "../../kube/cache/cache.ts";
import { isNamespaceGoing } from "../../kube/cache/namespaces.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { Clock } from "../../lib/clock.ts";
import { fingerprint } from "../../lib/hash.ts";
import { durationMs } from "../policy/duration.ts";
import { type Deletion, decideMassDeletion, MASS_DELETION } from "../policy/mass_deletion.ts";
import type { Precious } from "../policy/precious_deletions.ts";
import { annotationOf, DELETION_REASON } from "../reconcile/annotations.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { recordsOf } from "../reconcile/records.ts";
import type { PendingDeletion } from "../repository/repository.ts";
import type { Deletions } from "../repository/with_deletions.ts";
import { FirstSeen } from "../work/first_seen.ts";
import type { BackupObject } from "./backup.ts";
import { isHeld, skipsCleanup } from "./backup_annotations.ts";
import { DELETE_PREFIX, toDelete } from "./delete_task.ts";

/** Of a backup's UID, and of what it is one of many of, in characters: a status has room for no more. */
const FINGERPRINT = { id: 4, group: 2 };
const LENGTH = FINGERPRINT.id + FINGERPRINT.group;
/** So long what was deleted counts where most of a group goes: a person takes their time, and so does a script that waits. */
const DAY = 24 * 3_600_000;
/** How soon to look whether the repository has taken note of a deletion, in milliseconds. */
const LOOK_AGAIN = 2_000;

/** On a repository: the token of the held deletions that may go on. */
export const ACKNOWLEDGE_DELETIONS = "acknowledge-deletions";

/** A repository, as far as deletions of its backups are guarded. */
export interface GuardedRepository extends KubeObject {
  readonly spec: {
    readonly deletionGuard: {
      readonly maxDeletions: number;
      readonly window: string;
      /** Default: the last good backup of a volume is held, and most of them at once. */
      readonly lastBackups?: "Hold" | "Delete";
    };
  };
  /** The deletions of the recent past, as it remembers them. */
  readonly status?: { readonly deletions?: { readonly recent?: readonly string[] } };
}

type Deleted = KubeObject & { readonly status?: object };

export interface GuardOptions<R extends GuardedRepository, B extends Deleted> {
  readonly clock: Clock;
  /** So many deletions a repository remembers. */
  readonly remembered: number;
  /** The backups of a repository; those that are being deleted at least. */
  backupsIn(repository: R): readonly B[];
  /** Whether something of it is to be deleted in the repository. */
  deletes(backup: B): boolean;
  /** The backups of which most must not just go, such as those of one BackupConfig. */
  groupOf(backup: B): string;
  /**
   * By their UIDs, those among the ones that are going which are held however few there are. `gone`: how many of a group
   * went within a day before. Default: none.
   */
  precious?(going: readonly B[], gone: (group: string) => number): ReadonlyMap<string, Precious>;
  /** What a backup says whose deletion is held: why, and what to do. */
  heldMessage(repository: R, precious: Precious | undefined): string;
}

/** A deletion that is not to be carried out yet, in the words of its backup. */
export interface HeldDeletion {
  readonly readyState: ReadyState;
  readonly wakeAt?: number;
}

/**
 * Holds deletions of backups that come from outside, when there are more of them than is usual, or they are precious. A deletion is carried
 * out only once its repository remembers it, where it has to: so those that were carried out still count after a restart.
 */
export class DeletionGuard<R extends GuardedRepository, B extends Deleted> {
  readonly #options: GuardOptions<R, B>;
  readonly #seen: FirstSeen;

  constructor(options: GuardOptions<R, B>) {
    this.#options = options;
    this.#seen = new FirstSeen(options.clock);
  }

  /** The backups of a repository that are being deleted. */
  deleting(repository: R): readonly B[] {
    return this.#options
      .backupsIn(repository)
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  }

  /** What follows for all deletions of a repository's backups. */
  survey(repository: R): Deletions {
    const { spec } = repository;
    const now = this.#options.clock.now();
    const going = this.deleting(repository).filter((backup) => this.#counts(backup));
    const done = this.#done(repository, going);
    const precious = this.#precious(repository, going, done);
    const pending = going.map((backup): Asked => {
      const { uid: id, deletionTimestamp = "" } = backup.metadata;
      const requestedAt = Date.parse(deletionTimestamp);
      const seenAt = now - this.#seen.age(id);
      return { id, requestedAt, seenAt, precious: precious.get(id), entry: this.#entryOf(backup) };
    });
    const { maxDeletions: most, window } = spec.deletionGuard;
    const settings = { ...MASS_DELETION, most, window: durationMs(window) };
    const acknowledged = annotationOf(repository, ACKNOWLEDGE_DELETIONS);
    const decision = decideMassDeletion({ deletions: [...done, ...pending], acknowledged, now, settings });
    return {
      ...decision,
      recent: recentOf([...pending, ...done], Math.max(settings.window, DAY), this.#options.remembered),
    };
  }

  /** Why a backup's snapshots are not to be deleted now; undefined where they may be. */
  holds(backup: B, repository: R): HeldDeletion | undefined {
    const begun = Object.keys(recordsOf(backup.status)).some((purpose) => purpose.startsWith(DELETE_PREFIX));
    if (begun || !this.#counts(backup)) return undefined;
    const { uid } = backup.metadata;
    const now = this.#options.clock.now();
    const { release, held, recent, wakeAt } = this.survey(repository);
    if (held?.ids.includes(uid)) {
      const going = this.deleting(repository).filter((one) => this.#counts(one));
      const done = this.#done(repository, going);
      return { readyState: this.#held(repository, this.#precious(repository, going, done).get(uid)) };
    }
    const entry = this.#entryOf(backup);
    // What lies too far back to matter to a later one, or is more than can be remembered, is never noted.
    const noted = !recent.includes(entry) || (repository.status?.deletions?.recent?.includes(entry) ?? false);
    if (release.includes(uid) && noted) return undefined;
    return { readyState: PAUSING, wakeAt: Math.max(wakeAt ?? 0, now + LOOK_AGAIN) };
  }

  /** What the operator deletes itself does not count, nor what deletes nothing in the repository. */
  #counts(backup: B): boolean {
    // An operator that died before it could delete leaves its mark; what is held it would not delete.
    const ours = annotationOf(backup, DELETION_REASON) && !isHeld(backup);
    return !ours && !skipsCleanup(backup) && this.#options.deletes(backup);
  }

  #precious(repository: R, going: readonly B[], done: readonly Asked[]): ReadonlyMap<string, Precious> {
    if (repository.spec.deletionGuard.lastBackups === "Delete") return new Map();
    const acknowledged = Date.parse(annotationOf(repository, ACKNOWLEDGE_DELETIONS) ?? "");
    // Somebody has looked at those up to then.
    const counted = done.filter(({ requestedAt }) => !(requestedAt <= acknowledged));
    const gone = (group: string) => {
      const mark = fingerprint(group, FINGERPRINT.group);
      return counted.filter(({ entry }) => entry.endsWith(mark)).length;
    };
    return this.#options.precious?.(going, gone) ?? new Map();
  }

  /** What was carried out within the last day, as the repository remembers it. */
  #done({ status }: R, going: readonly B[]): readonly Asked[] {
    const here = new Set(going.flatMap((one) => [this.#entryOf(one), earlierEntryOf(one)]));
    const since = this.#options.clock.now() - DAY;
    return (status?.deletions?.recent ?? [])
      .map(doneDeletion)
      .filter(({ entry, requestedAt }) => !here.has(entry) && requestedAt > since);
  }

  /** How a repository remembers a deletion: when it was asked for, in seconds, whose it was, and of which group. */
  #entryOf(backup: B): string {
    const whose = fingerprint(backup.metadata.uid, FINGERPRINT.id);
    return `${secondsOf(backup)}-${whose}${fingerprint(this.#options.groupOf(backup), FINGERPRINT.group)}`;
  }

  #held(repository: R, precious: Precious | undefined): ReadyState {
    const message = this.#options.heldMessage(repository, precious);
    return { state: "reconciling", reason: REASONS.deletionHeld, message, warning: true };
  }
}

/** Whether deleting a backup deletes something in the repository. In a namespace that goes, it does not. */
export function deletesSnapshots(backup: BackupObject, namespaces: Pick<Cache<KubeObject>, "get">): boolean {
  const going = isNamespaceGoing(namespaces, backup.metadata.namespace);
  return !going && toDelete(backup, new Set()) !== undefined;
}

/** Snapshots that should be gone with their backup, and why they are not. */
export function blockedSnapshots(
  { metadata, status }: Conditioned,
  snapshots: readonly string[],
): readonly PendingDeletion[] {
  const why = status?.conditions?.find(({ type }) => type === CONDITIONS.snapshotDeletionFailed);
  if (why?.status !== "True") return [];
  const since = metadata.deletionTimestamp ?? why.lastTransitionTime;
  return snapshots.map((snapshotID) => ({ snapshotID, backup: keyOf(metadata), since, reason: why.reason }));
}

type Conditioned = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** A deletion, and how its repository remembers it. */
interface Asked extends Deletion {
  readonly entry: string;
}

/** As earlier versions remembered it. */
function earlierEntryOf(backup: KubeObject): string {
  return `${secondsOf(backup)}-${fingerprint(backup.metadata.uid, LENGTH)}`;
}

function secondsOf({ metadata: { deletionTimestamp = "" } }: KubeObject): string {
  return Math.floor(Date.parse(deletionTimestamp) / 1000).toString(36);
}

/** The earliest versions wrote more of the fingerprint, for which there is no room. */
function doneDeletion(remembered: string): Asked {
  const [at = "", whose = ""] = remembered.split("-", 2);
  const requestedAt = Number.parseInt(at, 36) * 1000;
  const entry = `${at}-${whose.slice(-LENGTH)}`;
  return { id: entry, requestedAt, seenAt: requestedAt, done: true, entry };
}

/** The newest, as far back as they can matter to a later one. */
function recentOf(deletions: readonly Asked[], horizon: number, most: number): readonly string[] {
  const sorted = deletions.toSorted((a, b) => b.requestedAt - a.requestedAt);
  const newest = sorted[0]?.requestedAt ?? 0;
  return sorted
    .filter(({ requestedAt }) => requestedAt >= newest - horizon)
    .slice(0, most)
    .map(({ entry }) => entry)
    .sort();
}

const PAUSING: ReadyState = {
  state: "reconciling",
  reason: "DeletionPaused",
  message: "Its snapshots are deleted in a moment: before that it is seen whether many are deleted at once.",
};
