import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Origin } from "../../../kinds/kopiur/origins.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { originOf } from "../backup/backup_labels.ts";
import { isCancelled, isHeld } from "../backup/backup_wishes.ts";
import { isDoubted } from "../catalog/absence.ts";
import { isPinned } from "../catalog/pinning.ts";

/** A Backup of a recipe that succeeded, and whose snapshots the recipe's repository holds. */
export interface Success {
  readonly backup: Backup;
  readonly name: string;
  /** When it ended. */
  readonly at: number;
  readonly origin: Origin;
  readonly snapshots: readonly SnapshotStatus[];
  readonly held: boolean;
}

export interface FailedRun {
  readonly name: string;
  readonly at: number;
  /** Somebody ended it. */
  readonly cancelled: boolean;
}

/** What is known of a recipe's past, as far as it is still there. */
export interface History {
  /** Oldest first. */
  readonly successes: readonly Success[];
  readonly failures: readonly FailedRun[];
}

export interface HistoryRequest {
  readonly config: BackupConfig;
  /** Of the recipe. */
  readonly backups: readonly Backup[];
  /** Names of those that somebody needs now. */
  readonly needed: ReadonlySet<string>;
  readonly now: number;
}

/** Clocks of a cluster's machines differ by less than this, in milliseconds. */
const CLOCK_TOLERANCE = 300_000;

/** Whether a time is from the future: nobody knows when that was, by a clock that was wrong. */
export function liesAhead(at: number, now: number): boolean {
  return at > now + CLOCK_TOLERANCE;
}

/**
 * The history of a recipe's identity in its repository. Left out is what nobody can place: what was recorded elsewhere or
 * under another identity, what lost its snapshot, and what claims to be from the future, or to have ended before it was
 * created, by a clock that was wrong. None of these is pruned, and none takes another's place.
 */
export function historyOf({ config, backups, needed, now }: HistoryRequest): History {
  const present = backups.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const accepted = config.metadata.annotations?.[ANNOTATIONS.acknowledgeShrink];
  const successes = present.flatMap((backup): readonly Success[] => {
    const snapshots = snapshotsOf(backup, config);
    const at = Date.parse(backup.status?.timing?.endTime ?? "");
    const placed = at >= createdAt(backup) - CLOCK_TOLERANCE && !liesAhead(at, now);
    if (snapshots.length === 0 || !placed) return [];
    const { name } = backup.metadata;
    // The one whose size was accepted is what later ones are measured by.
    const kept = needed.has(name) || name === accepted || isPinned(backup);
    const held = isHeld(backup) || kept;
    return [{ backup, name, at, origin: originFor(backup), snapshots, held }];
  });
  const failures = present
    .filter(({ status }) => status?.phase === "Failed")
    .map((backup) => ({
      name: backup.metadata.name,
      at: Date.parse(backup.status?.timing?.endTime ?? backup.metadata.creationTimestamp),
      cancelled: isCancelled(backup),
    }));
  return { successes: successes.toSorted((a, b) => a.at - b.at), failures };
}

function snapshotsOf(backup: Backup, config: BackupConfig): readonly SnapshotStatus[] {
  const { status } = backup;
  if (status?.phase !== "Succeeded" || status.orphaned || isDoubted(backup)) return [];
  const { repository, identity } = config.status?.resolved ?? {};
  const { uniqueID } = repository ?? {};
  if (uniqueID === undefined || status.resolved?.repository?.uniqueID !== uniqueID) return [];
  const snapshots = status.snapshots ?? [];
  const ours = snapshots.every(
    (one) => one.identity.username === identity?.username && one.identity.hostname === identity.hostname,
  );
  return ours ? snapshots : [];
}

/** Only what both witnesses call scheduled is: whatever else it may be, retention leaves it alone. */
function originFor(backup: Backup): Origin {
  const origin = originOf(backup);
  return origin === "scheduled" && backup.status?.origin !== "scheduled" ? "manual" : origin;
}

const createdAt = ({ metadata }: Backup) => Date.parse(metadata.creationTimestamp);
