import type { KubeObject } from "../../kube/object.ts";
import type { WantedCondition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { ScheduleHistory, ScheduleMark } from "../policy/schedule.ts";
import { decideSchedule, type ScheduleDecision, type Slot } from "../policy/schedule_decision.ts";
import { slotName } from "../policy/slot_name.ts";
import type { Problem } from "../reconcile/problem.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf } from "../reconcile/ready_state.ts";
import { type Schedule, type ScheduleState, scheduleRules } from "./schedule_object.ts";
import { countRuns, createdSoFar, type ScheduledRun, surplusFailures } from "./scheduled_runs.ts";
import { createdNote, leftOut, type ScheduleWords, skipCondition, skipNotes, skipped } from "./slot_words.ts";

export interface ObservedSchedule<B extends KubeObject = KubeObject> {
  readonly schedule: Schedule;
  /** Why what it runs cannot be run now; absent where it can. */
  readonly problem?: Problem | undefined;
  /** What else is said of it. */
  readonly conditions?: readonly WantedCondition[];
  /** What it made, as far as that is there. */
  readonly runs: readonly ScheduledRun<B>[];
  /** The name of what is due belongs to an object that is not of this schedule. */
  readonly nameTaken?: boolean;
  readonly words: ScheduleWords;
  readonly now: number;
}

/** What follows for a schedule, in the order in which it is carried out. */
export interface ScheduledDecision<B extends KubeObject = KubeObject> {
  /** Backups that make room for `fire`. */
  readonly cancel: readonly B[];
  /** What is made: before the status says so, because its name keeps it from being made twice. */
  readonly fire?: Slot;
  readonly status: ScheduleState;
  /** Told once the status is written, and so once. */
  readonly events: readonly EventNote[];
  /** Failed backups that go, once the status has counted them. */
  readonly prune: readonly B[];
  readonly wakeAt?: number | undefined;
}

/** What a schedule does now. */
export function decideScheduledRuns<B extends KubeObject>(
  observed: ObservedSchedule<B>,
): ScheduledDecision<B> {
  const { schedule, problem, now } = observed;
  const runs = observed.runs.toSorted((a, b) => a.slot - b.slot);
  const scene = { ...observed, runs };
  const rules = scheduleRules(schedule);
  const { suspend } = schedule.spec.schedule;
  if (!rules.ok) {
    if (suspend) return decided(scene, readyStateOf(rules.error), { phase: "Suspended" });
    // Nobody can tell which times passed while it was suspended, and none of them is to be made up for later.
    const passed = wasSuspended(schedule.status) ? { decidedUntil: timestamp(now) } : {};
    return decided(scene, readyStateOf(rules.error), { ...passed, phase: "Failed" });
  }
  const decision = decideSchedule(rules.value, historyOf(schedule, runs), now);
  if (problem && !suspend) return waiting(scene, problem, decision);
  return decided(scene, suspend ? SUSPENDED : SCHEDULED, marked(scene, decision));
}

const SCHEDULED: ReadyState = {
  state: "ready",
  reason: "Scheduled",
  message: "Backups are created at the times of the schedule.",
};
const SUSPENDED: ReadyState = {
  state: "ready",
  reason: "Suspended",
  message: "Suspended; running backups continue.",
};

interface Fields extends ScheduleState {
  readonly decision?: ScheduleDecision;
  readonly wakeAt?: number | undefined;
}

function historyOf({ metadata, status }: Schedule, runs: readonly ScheduledRun[]): ScheduleHistory {
  return {
    createdAt: Date.parse(metadata.creationTimestamp),
    mark: markOf(status),
    wasSuspended: wasSuspended(status),
    made: new Set(runs.map(({ slot }) => slot)),
    running: runs.filter(({ state }) => state === "running").map(({ backup }) => backup.metadata.name),
  };
}

function wasSuspended(status: ScheduleState | undefined): boolean {
  return status?.phase === "Suspended";
}

function markOf(status: ScheduleState | undefined): ScheduleMark | undefined {
  const slot = Date.parse(status?.decidedUntil ?? "");
  return Number.isNaN(slot) ? undefined : { slot, cron: status?.resolvedCron ?? "" };
}

/** All that is waited for is watched: this is in case something was not heard. */
const PATIENCE = 300_000;

/**
 * Nothing is decided: what falls due is made up for when it can be run, as it would be after an absence. Only
 * what fell due while it was suspended is left out at once, as the phase is all that remembers that it was.
 */
function waiting<B extends KubeObject>(
  scene: ObservedSchedule<B>,
  problem: Problem,
  decision: ScheduleDecision,
): ScheduledDecision<B> {
  const { schedule, now } = scene;
  const { decidedUntil, nextSchedule } = schedule.status ?? {};
  const { next, mark } = decision;
  const known = wasSuspended(schedule.status)
    ? marked(scene, decision)
    : {
        ...(decidedUntil === undefined ? { resolvedCron: mark.cron } : {}),
        ...(nextSchedule === undefined && next ? { nextSchedule: { at: timestamp(next.at) } } : {}),
      };
  return decided(scene, readyStateOf(problem), { ...known, phase: "Pending", wakeAt: now + PATIENCE });
}

/** How far the schedule has come, after what it does now. */
function marked({ schedule, runs, nameTaken }: ObservedSchedule, decision: ScheduleDecision): Fields {
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

type LastSchedule = ScheduleState["lastSchedule"];

/** What was made last, also where nobody lived to write it down. */
function lastBegun(known: LastSchedule, run: ScheduledRun | undefined): LastSchedule {
  const { scheduledAt } = run ?? {};
  if (!run || !scheduledAt || Date.parse(scheduledAt) <= Date.parse(known?.scheduledAt ?? "")) return known;
  return { scheduledAt, backupRef: { name: run.backup.metadata.name } };
}

function decided<B extends KubeObject>(
  observed: ObservedSchedule<B>,
  readyState: ReadyState,
  fields: Fields,
): ScheduledDecision<B> {
  const { schedule, runs, conditions = [], words, now, nameTaken = false } = observed;
  const { decision, wakeAt, ...status } = fields;
  const { nextSchedule, ...kept } = schedule.status ?? {};
  const { generation } = schedule.metadata;
  const fire = nameTaken ? undefined : decision?.fire;
  const left = decision ? leftOut(decision, nameTaken) : [];
  const counts = countRuns(kept, runs, now);
  const running = runs.filter(({ state }) => state === "running").map(({ backup }) => backup);
  const begun = fire !== undefined || runs.some(({ slot }) => slot === decision?.mark.slot);
  const more = [...conditions, ...skipCondition(left, begun, words)];
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
      conditions: conditionsFor(schedule, readyState, more, now),
    },
    events: [
      ...newsOf(schedule, readyState),
      ...(fire ? [createdNote(slotName(schedule.metadata.name, fire.slot), fire)] : []),
      ...skipNotes(left, words),
    ],
    prune: surplusFailures(runs, {
      limit: schedule.spec.failedJobsHistoryLimit,
      countedUntil: counts.countedUntil,
    }),
    wakeAt,
  };
}
