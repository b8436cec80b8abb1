import { isCancelled, isHeld } from "../../../core/backup/backup_annotations.ts";
import { isDoubted } from "../../../core/catalog/absence.ts";
import { isPinned } from "../../../core/catalog/pinning.ts";
import { shrunkCondition } from "../../../core/catalog/shrunk_condition.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import type { ObservedRetention } from "../../../core/retention/decide_retention.ts";
import { type BackupHistory, isBelievable, type SuccessfulBackup } from "../../../core/retention/history.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { Origin } from "../../../kinds/kopiur/origins.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import { originOf } from "../backup/backup_labels.ts";
import { type AnyRepository, repositoryText } from "../references.ts";

interface HistoryRequest {
  readonly config: BackupConfig;
  /** Those that the BackupConfig made, in its namespace. */
  readonly backups: readonly Backup[];
  /** Names of those that a restore needs now. */
  readonly needed: ReadonlySet<string>;
  readonly now: number;
}

export interface RetentionRequest extends HistoryRequest {
  /** The one that the BackupConfig was resolved with, where it is there. */
  readonly repository: AnyRepository | undefined;
  /** Those that name the BackupConfig. */
  readonly schedules: readonly BackupSchedule[];
}

/** What retention knows of a BackupConfig. */
export function observedRetention(request: RetentionRequest): ObservedRetention<Backup> {
  const { config, repository, schedules, now } = request;
  return {
    owner: config,
    retention: config.spec.retention,
    history: historyOf(request),
    doubt: unknownTruth(config) ?? doubtfulTruth(repository),
    schedules,
    now,
  };
}

/** Nothing is pruned before it is certain where the snapshots are, and under whom. */
function unknownTruth({ metadata, status }: BackupConfig): ObservedRetention["doubt"] {
  const ready = status?.phase === "Ready" && status.observedGeneration === metadata.generation;
  if (ready && status.resolved?.repository?.uniqueID && status.resolved.identity) return undefined;
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return {
    reason: "ConfigNotReady",
    message: `The BackupConfig cannot be run, so that its repository is not known for certain${why ? `: ${why}` : "."}`,
    isTold: true,
  };
}

/** What the repository lost pushes nothing out of it that may be all that is left. */
function doubtfulTruth(repository: AnyRepository | undefined): ObservedRetention["doubt"] {
  const shrunk = repository && shrunkCondition(repository);
  if (!shrunk) return undefined;
  const name = repositoryText(keyOf(repository));
  return {
    reason: CONDITIONS.catalogShrunk,
    message: `It is not certain which snapshots ${name} holds: ${shrunk.message}`,
  };
}

/**
 * The history of a BackupConfig's identity in its repository. Left out is what nobody can place: what was recorded elsewhere or
 * under another identity, what lost its snapshot, and what claims to be from the future, or to have ended before it was
 * created, by a clock that was wrong. None of these is pruned, and none takes another's place.
 */
function historyOf({ config, backups, needed, now }: HistoryRequest): BackupHistory<Backup> {
  const present = backups.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const lastWhole = lastWholeOf(present.filter((backup) => snapshotsOf(backup, config).length > 0));
  const successes = present.flatMap((backup): readonly SuccessfulBackup<Backup>[] => {
    const { metadata, status } = backup;
    const { name } = metadata;
    const snapshots = snapshotsOf(backup, config).map(({ identity, sizeBytes }) => ({
      path: identity.sourcePath,
      bytes: sizeBytes,
    }));
    const at = Date.parse(status?.timing?.endTime ?? "");
    const createdAt = Date.parse(metadata.creationTimestamp);
    if (snapshots.length === 0 || !isBelievable(at, { createdAt, now })) return [];
    const held = isHeld(backup) || needed.has(name) || isPinned(backup) || lastWhole === backup;
    return [{ backup, name, at, origin: originFor(backup), held, snapshots, files: status?.stats?.files }];
  });
  const failures = present
    .filter(({ status }) => status?.phase === "Failed")
    .map((backup) => ({
      name: backup.metadata.name,
      at: Date.parse(backup.status?.timing?.endTime ?? backup.metadata.creationTimestamp),
      cancelled: isCancelled(backup),
    }));
  return { successes, failures };
}

/** The newest Backup that holds all files, where newer ones do not: nothing that these lack is pruned with it. */
function lastWholeOf(backups: readonly Backup[]): Backup | undefined {
  const endOf = ({ status }: Backup) => Date.parse(status?.timing?.endTime ?? "");
  const newestFirst = backups.toSorted((a, b) => endOf(b) - endOf(a));
  const isWhole = ({ status }: Backup) => !status?.snapshots?.some(({ incomplete }) => incomplete);
  const at = newestFirst.findIndex(isWhole);
  return at > 0 ? newestFirst[at] : undefined;
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
