import { parseZone, UTC, type Zone } from "../../../core/policy/zone.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { RetentionSpec, RetentionStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import { mergeConditions } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { shrunkCondition } from "../catalog/shrunk_condition.ts";
import { type AnyRepository, repositoryText } from "../references.ts";
import { cronViolations } from "../rules/cron_violations.ts";
import { problemOf } from "../rules/violation.ts";
import { type History, historyOf, liesAhead } from "./history.ts";
import { type Pause, prunePause } from "./prune_pause.ts";
import { prunePlan, type Surplus } from "./prune_plan.ts";

export interface ObservedRetention {
  readonly config: BackupConfig;
  /** The one that the recipe was resolved with, where it is there. */
  readonly repository: AnyRepository | undefined;
  /** Those that were made by the recipe, in its namespace. */
  readonly backups: readonly Backup[];
  /** Those that name the recipe. */
  readonly schedules: readonly BackupSchedule[];
  /** Names of Backups that a restore needs now. */
  readonly needed: ReadonlySet<string>;
  readonly now: number;
}

export interface RetentionDecision {
  /** What goes now, oldest first. */
  readonly prune: readonly Backup[];
  /** The whole status, written after what goes has gone. */
  readonly status: BackupConfigStatus;
  readonly events: readonly EventNote[];
  readonly wakeAt?: number;
}

/** More than these wait for the next look, which comes at once. */
export const MOST_AT_ONCE = 20;
/** As many are shown of what would go next. */
const MOST_SHOWN = 8;
const LONGEST_WHY = 256;
/** Until it is looked at again, though nothing tells of a change, in milliseconds. */
export const PERIOD = 3_600_000;

/** What of a recipe's Backups goes, what would go next, and why nothing may. */
export function decideRetention(observed: ObservedRetention): RetentionDecision {
  const { config, repository, now } = observed;
  const history = historyOf(observed);
  const past = pastOf(observed, history);
  const { retention } = config.spec;
  if (!retention) return { prune: [], status: without(past), events: [], wakeAt: now + PERIOD };
  const pause =
    unknownTruth(config) ??
    doubtfulTruth(repository) ??
    unknownZone(retention) ??
    prunePause({ config, retention, history, counted: counted(observed) });
  const view = viewOf(observed, history, retention);
  const prune = pause ? [] : view.surplus.slice(0, MOST_AT_ONCE).map(({ backup }) => backup);
  const shown = pause ? view.surplus : view.next;
  const { lastPruneAt, lastPruneDeleted } = config.status?.retention ?? {};
  return {
    prune,
    status: {
      ...past,
      retention: {
        activeBackupCount: view.active,
        ...(lastPruneAt === undefined ? {} : { lastPruneAt }),
        ...(lastPruneDeleted === undefined ? {} : { lastPruneDeleted }),
        ...(pause ? { pausedReason: pause.reason } : {}),
        ...(shown.length > 0 ? { next: shown.slice(0, MOST_SHOWN).map(shownAs) } : {}),
      },
      conditions: conditionsAfter(config, pause, now),
    },
    events: newsOf(config, pause),
    wakeAt: view.surplus.length > prune.length && !pause ? now : now + PERIOD,
  };
}

/** The same, after so many have gone. */
export function afterPruning(status: BackupConfigStatus, deleted: number, now: number): BackupConfigStatus {
  if (deleted === 0) return status;
  const pruned = { lastPruneAt: timestamp(now), lastPruneDeleted: deleted };
  return { ...status, retention: { ...status.retention, ...pruned } };
}

/** Nothing is pruned before it is certain where the snapshots are, and under whom. */
function unknownTruth({ metadata, status }: BackupConfig): Pause | undefined {
  const ready = status?.phase === "Ready" && status.observedGeneration === metadata.generation;
  if (ready && status.resolved?.repository?.uniqueID && status.resolved.identity) return undefined;
  const why = status?.conditions?.find(({ type }) => type === "Ready")?.message;
  return {
    reason: "ConfigNotReady",
    message: `The recipe cannot be run, so that its repository is not known for certain${why ? `: ${why}` : "."}`,
  };
}

/** What the repository lost pushes nothing out of it that may be all that is left. */
function doubtfulTruth(repository: AnyRepository | undefined): Pause | undefined {
  const shrunk = repository && shrunkCondition(repository);
  if (!shrunk) return undefined;
  const name = repositoryText(keyOf(repository));
  return {
    reason: CONDITIONS.catalogShrunk,
    message: `It is not certain which snapshots ${name} holds: ${shrunk.message}`,
  };
}

/** Nothing is pruned by other days than those that were meant. */
function unknownZone({ timezone = "UTC" }: RetentionSpec): Pause | undefined {
  const [wrong] = cronViolations([], timezone, "spec.retention");
  return wrong && problemOf(wrong);
}

function viewOf(observed: ObservedRetention, { successes }: History, rules: RetentionSpec) {
  const { schedules, now } = observed;
  const request = { successes, rules, zone: zoneOf(rules, schedules), now };
  const surplus = prunePlan(request);
  const going = new Set(surplus.map(({ backup }) => backup));
  const next = prunePlan({ ...request, next: nextRun(schedules, now) });
  const scheduled = successes.filter(({ origin }) => origin === "scheduled").length;
  return {
    surplus,
    next: next.filter(({ backup }) => !going.has(backup)),
    active: scheduled - surplus.length,
  };
}

/** The zone that the recipe names, or that of the schedules, where they agree on one. */
function zoneOf({ timezone }: RetentionSpec, schedules: readonly BackupSchedule[]): Zone {
  const named = timezone === undefined ? schedules.map(({ spec }) => spec.schedule.timezone) : [timezone];
  const [name = "UTC", ...others] = new Set(named);
  const zone = others.length === 0 ? parseZone(name) : undefined;
  return zone?.ok ? zone.value : UTC;
}

function nextRun(schedules: readonly BackupSchedule[], now: number): number {
  const times = schedules.map(({ status }) => Date.parse(status?.nextSchedule?.at ?? ""));
  const later = times.filter((time) => time > now);
  return later.length > 0 ? Math.min(...later) : now;
}

function counted({ schedules }: ObservedRetention): number {
  return Math.max(0, ...schedules.map(({ status }) => status?.consecutiveFailures ?? 0));
}

/** The status, with how the last Backups ended. */
function pastOf(observed: ObservedRetention, { successes, failures }: History): BackupConfigStatus {
  const { config, now } = observed;
  const { lastSuccessfulBackup: before, ...status } = config.status ?? {};
  const newest = successes.at(-1);
  const known = before && !liesAhead(Date.parse(before.at), now) ? before : undefined;
  const last = newest ? { name: newest.name, at: timestamp(newest.at) } : known;
  const since = newest?.at ?? Date.parse(known?.at ?? "");
  const failed = failures.filter(({ at, cancelled }) => !cancelled && !(at <= since)).length;
  return {
    ...status,
    ...(last ? { lastSuccessfulBackup: last } : {}),
    consecutiveFailures: failed === 0 ? 0 : Math.max(failed, counted(observed)),
  };
}

function shownAs({ backup, why }: Surplus): NonNullable<RetentionStatus["next"]>[number] {
  return { backup: backup.metadata.name, reason: why.slice(0, LONGEST_WHY) };
}

function conditionsAfter({ metadata, status }: BackupConfig, pause: Pause | undefined, now: number) {
  const { generation } = metadata;
  const type = CONDITIONS.pruningPaused;
  const said = pause
    ? ({ status: "True", ...pause } as const)
    : ({ status: "False", reason: "Pruning", message: "Backups that no rule keeps are deleted." } as const);
  const wanted = { type, ...said, ...(generation === undefined ? {} : { observedGeneration: generation }) };
  return mergeConditions(status?.conditions ?? [], [wanted], now);
}

/** Told when it begins and when its cause changes; the recipe itself tells why it cannot be run. */
function newsOf({ status }: BackupConfig, pause: Pause | undefined): readonly EventNote[] {
  if (!pause || pause.reason === "ConfigNotReady") return [];
  const before = status?.conditions?.find(({ type }) => type === CONDITIONS.pruningPaused);
  if (before?.status === "True" && before.reason === pause.reason && before.message === pause.message)
    return [];
  return [{ type: "Warning", ...pause }];
}

function without({ retention: _, ...status }: BackupConfigStatus): BackupConfigStatus {
  const { conditions } = status;
  if (!conditions) return status;
  return { ...status, conditions: conditions.filter(({ type }) => type !== CONDITIONS.pruningPaused) };
}
