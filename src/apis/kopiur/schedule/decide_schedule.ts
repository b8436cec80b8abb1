import type { ScheduleHistory, ScheduleMark } from "../../../core/policy/schedule.ts";
import { decideSchedule, type ScheduleDecision, type Slot } from "../../../core/policy/schedule_decision.ts";
import { slotName } from "../../../core/policy/slot_name.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type {
  BackupSchedule,
  BackupScheduleStatus,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Problem } from "../problem.ts";
import { conditionsFor, newsOf, type Stand, standOf } from "../verdicts.ts";
import { recipeProblem } from "./recipe_problem.ts";
import { scheduleRules } from "./schedule_rules.ts";
import { scheduledAtOf } from "./scheduled_backup.ts";
import {
  countRuns,
  createdSoFar,
  type ScheduledRun,
  scheduledRuns,
  surplusFailures,
} from "./scheduled_runs.ts";
import { createdNote, leftOut, skipCondition, skipNotes, skipped } from "./slot_words.ts";

export interface ObservedSchedule {
  readonly schedule: BackupSchedule;
  /** The recipe that it names, where there is one. */
  readonly config: BackupConfig | undefined;
  /** Those of its namespace that it made, and perhaps others. */
  readonly backups: readonly Backup[];
  /** The name of what is due belongs to an object that is not of this schedule. */
  readonly nameTaken?: boolean;
  readonly now: number;
}

/** What follows for a schedule, in the order in which it is carried out. */
export interface BackupScheduleDecision {
  /** Backups that make room for `fire`. */
  readonly cancel: readonly Backup[];
  /** What is made: before the status says so, because its name keeps it from being made twice. */
  readonly fire?: Slot;
  readonly status: BackupScheduleStatus;
  /** Told once the status is written, and so once. */
  readonly events: readonly EventNote[];
  /** Failed Backups that go, once the status has counted them. */
  readonly prune: readonly Backup[];
  readonly wakeAt?: number | undefined;
}

/** What a schedule does now. */
export function decideBackupSchedule(observed: ObservedSchedule): BackupScheduleDecision {
  const { schedule, config, now } = observed;
  const runs = scheduledRuns(schedule, observed.backups);
  const scene = { observed, runs };
  const rules = scheduleRules(schedule);
  const { suspend } = schedule.spec.schedule;
  if (!rules.ok) {
    if (suspend) return decided(scene, standOf(rules.error), { phase: "Suspended" });
    // Nobody can tell which times passed while it was suspended, and none of them is to be made up for later.
    const passed = wasSuspended(schedule.status) ? { decidedUntil: timestamp(now) } : {};
    return decided(scene, standOf(rules.error), { ...passed, phase: "Failed" });
  }
  const decision = decideSchedule(rules.value, historyOf(schedule, runs), now);
  const problem = recipeProblem(schedule, config);
  if (problem && !suspend) return waiting(scene, problem, decision);
  return decided(scene, suspend ? SUSPENDED : SCHEDULED, marked(scene, decision));
}

const SCHEDULED: Stand = {
  state: "ready",
  reason: "Scheduled",
  message: "Backups are created at the times of the schedule.",
};
const SUSPENDED: Stand = {
  state: "ready",
  reason: "Suspended",
  message: "No more runs begin. Those that run go on.",
};

interface Scene {
  readonly observed: ObservedSchedule;
  readonly runs: readonly ScheduledRun[];
}

interface Fields extends BackupScheduleStatus {
  readonly decision?: ScheduleDecision;
  readonly wakeAt?: number | undefined;
}

function historyOf({ metadata, status }: BackupSchedule, runs: readonly ScheduledRun[]): ScheduleHistory {
  return {
    createdAt: Date.parse(metadata.creationTimestamp),
    mark: markOf(status),
    wasSuspended: wasSuspended(status),
    made: new Set(runs.map(({ slot }) => slot)),
    running: runs.filter(({ state }) => state === "running").map(({ backup }) => backup.metadata.name),
  };
}

function wasSuspended(status: BackupScheduleStatus | undefined): boolean {
  return status?.phase === "Suspended";
}

function markOf(status: BackupScheduleStatus | undefined): ScheduleMark | undefined {
  const slot = Date.parse(status?.decidedUntil ?? "");
  return Number.isNaN(slot) ? undefined : { slot, cron: status?.resolvedCron ?? "" };
}

/** All that is waited for is watched: this is in case something was not heard. */
const PATIENCE = 300_000;

/**
 * Nothing is decided: what falls due is made up for when the recipe can be run, as it would be after an absence. Only
 * what fell due while it was suspended is left out at once, as the phase is all that remembers that it was.
 */
function waiting(scene: Scene, problem: Problem, decision: ScheduleDecision): BackupScheduleDecision {
  const { schedule, now } = scene.observed;
  const { decidedUntil, nextSchedule } = schedule.status ?? {};
  const { next, mark } = decision;
  const known = wasSuspended(schedule.status)
    ? marked(scene, decision)
    : {
        ...(decidedUntil === undefined ? { resolvedCron: mark.cron } : {}),
        ...(nextSchedule === undefined && next ? { nextSchedule: { at: timestamp(next.at) } } : {}),
      };
  return decided(scene, standOf(problem), { ...known, phase: "Pending", wakeAt: now + PATIENCE });
}

/** How far the schedule has come, after what it does now. */
function marked({ observed, runs }: Scene, decision: ScheduleDecision): Fields {
  const { schedule, nameTaken = false } = observed;
  const { mark, next, wakeAt } = decision;
  const fire = nameTaken ? undefined : decision.fire;
  const last = fire
    ? { scheduledAt: timestamp(fire.at), backupRef: { name: slotName(schedule.metadata.name, fire.slot) } }
    : lastBegun(schedule.status?.lastSchedule, runs.at(-1));
  return {
    phase: schedule.spec.schedule.suspend ? "Suspended" : "Active",
    resolvedCron: mark.cron,
    decidedUntil: timestamp(mark.slot),
    ...(last ? { lastSchedule: last } : {}),
    ...(next ? { nextSchedule: { at: timestamp(next.at) } } : {}),
    decision,
    wakeAt,
  };
}

type LastSchedule = BackupScheduleStatus["lastSchedule"];

/** What was made last, also where nobody lived to write it down. */
function lastBegun(known: LastSchedule, run: ScheduledRun | undefined): LastSchedule {
  const scheduledAt = run && scheduledAtOf(run.backup);
  if (!scheduledAt || Date.parse(scheduledAt) <= Date.parse(known?.scheduledAt ?? "")) return known;
  return { scheduledAt, backupRef: { name: run.backup.metadata.name } };
}

function decided({ observed, runs }: Scene, stand: Stand, fields: Fields): BackupScheduleDecision {
  const { schedule, config, now, nameTaken = false } = observed;
  const { decision, wakeAt, ...status } = fields;
  const { nextSchedule, ...kept } = schedule.status ?? {};
  const { generation } = schedule.metadata;
  const fire = nameTaken ? undefined : decision?.fire;
  const left = decision ? leftOut(decision, nameTaken) : [];
  const counts = countRuns(kept, runs, now);
  const running = runs.filter(({ state }) => state === "running").map(({ backup }) => backup);
  const begun = fire !== undefined || runs.some(({ slot }) => slot === decision?.mark.slot);
  const more = [resolvable(config), ...skipCondition(left, begun)];
  return {
    cancel: running.filter(({ metadata }) => decision?.replace.includes(metadata.name)),
    ...(fire ? { fire } : {}),
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      // While nothing is decided, what was next is so still.
      ...(nextSchedule && !decision ? { nextSchedule } : {}),
      ...status,
      ...skipped(left),
      ...counts,
      ...createdSoFar(kept, runs, fire?.slot),
      active: running.length + (fire ? 1 : 0),
      conditions: conditionsFor(schedule, stand, more, now),
    },
    events: [
      ...newsOf(schedule, stand),
      ...(fire ? [createdNote(slotName(schedule.metadata.name, fire.slot), fire)] : []),
      ...skipNotes(left),
    ],
    prune: surplusFailures(runs, {
      limit: schedule.spec.failedJobsHistoryLimit,
      countedUntil: counts.countedUntil,
    }),
    wakeAt,
  };
}

function resolvable(config: BackupConfig | undefined): WantedCondition {
  const type = CONDITIONS.configResolvable;
  return config && !config.metadata.deletionTimestamp
    ? { type, status: "True", reason: "Found", message: "The BackupConfig is there." }
    : { type, status: "False", reason: "ConfigNotFound", message: "The BackupConfig is not there." };
}
