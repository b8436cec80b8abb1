import { parseCron } from "../policy/cron.ts";
import { durationMs } from "../policy/duration.ts";
import type { ScheduleRules } from "../policy/schedule.ts";
import { decideSchedule, type ScheduleDecision, type Skip, type Slot } from "../policy/schedule_decision.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import type { Maintenance, Which } from "./maintenance.ts";
import { type MaintenanceMemory, type MaintenanceRun, memoryOf } from "./maintenance_run.ts";
import { type RequestedRun, requestedRun } from "./requested_run.ts";

export interface PlanRequest {
  readonly maintenance: Maintenance;
  /** A run is under way. */
  readonly busy: boolean;
  /** Nothing is in the way of another one. */
  readonly mayBegin: boolean;
  readonly now: number;
}

/** Which run it is, and which come next. */
export interface Plan {
  readonly memory: MaintenanceMemory;
  /** It begins just now. */
  readonly fresh: boolean;
  /** Slots that were missed: one later run stands for all of them. */
  readonly missed: Readonly<Partial<Record<Which, Skip>>>;
  /** A request that nobody understands. */
  readonly unknownRequest?: string;
  /** The request that is answered by now. */
  readonly handledRequest?: string;
  /** Whether it is decided what becomes of the slots until now. */
  readonly decided: boolean;
  readonly next: Readonly<Partial<Record<Which, Slot>>>;
}

/** Decides what runs: what runs already goes on, then comes what somebody asked for, then what is due. Pure. */
export function planRun(request: PlanRequest): Plan {
  const { maintenance, busy, mayBegin, now } = request;
  const { spec, status } = maintenance;
  const memory = memoryOf(status);
  const due = { quick: decide(request, memory, "quick"), full: decide(request, memory, "full") };
  const next = { ...nextOf("quick", due.quick), ...nextOf("full", due.full) };
  const waiting = { memory, fresh: false, missed: {}, decided: false, next };
  if (busy || !mayBegin) return waiting;
  const wanted = requestedRun(annotationOf(maintenance, "run-requested"), status?.handledRunRequest);
  if (wanted && !wanted.run) return { ...waiting, unknownRequest: wanted.text, handledRequest: wanted.text };
  if (wanted) {
    const run = asked(wanted, maintenance);
    return { ...waiting, memory: { ...memory, turn: run }, fresh: true, handledRequest: wanted.text };
  }
  const marks = {
    ...memory.marks,
    ...(due.quick ? { quick: due.quick.mark } : {}),
    ...(due.full ? { full: due.full.mark } : {}),
  };
  const run = dueRun(due, maintenance);
  const kept = run ?? memory.turn;
  const { suspend: suspended } = spec.schedule;
  const resumedAt = memory.suspended && !suspended ? now : memory.resumedAt;
  return {
    memory: {
      marks,
      suspended,
      ...(resumedAt === undefined ? {} : { resumedAt }),
      ...(kept ? { turn: kept } : {}),
    },
    fresh: run !== undefined,
    missed: { ...missedOf("quick", due.quick), ...missedOf("full", due.full) },
    decided: true,
    next,
  };
}

/** The schedule as it was written; undefined where nobody could tell when it is due, which a rule refuses. */
export function scheduleRules({ metadata, spec }: Maintenance, which: Which): ScheduleRules | undefined {
  const { timezone, suspend, [which]: times } = spec.schedule;
  // Each of the two has hashes of its own, so that they do not meet.
  const uid = `${metadata.uid}/${which}`;
  const cron = parseCron({ expression: times.cron, zone: timezone, seed: uid });
  if (!cron.ok) return undefined;
  const jitter = durationMs(times.jitter);
  return { uid, cron: cron.value, jitter, suspend, runOnCreate: false, concurrency: "Forbid" };
}

function decide(
  { maintenance, now }: PlanRequest,
  memory: MaintenanceMemory,
  which: Which,
): ScheduleDecision | undefined {
  const rules = scheduleRules(maintenance, which);
  if (!rules) return undefined;
  const createdAt = Date.parse(maintenance.metadata.creationTimestamp ?? "") || now;
  const history = {
    createdAt,
    mark: memory.marks[which],
    wasSuspended: memory.suspended,
    // The memory is written with whatever begins, so that nothing is ever made without a mark.
    made: new Set<number>(),
    running: [],
  };
  return decideSchedule(rules, history, now);
}

/** A full run does what a quick one would have done. */
function dueRun(
  due: Readonly<Record<Which, ScheduleDecision | undefined>>,
  maintenance: Maintenance,
): MaintenanceRun | undefined {
  const slot = due.full?.fire ?? due.quick?.fire;
  if (!slot) return undefined;
  return begun(due.full?.fire ? "Full" : "Quick", new Date(slot.slot).toISOString(), maintenance);
}

function asked({ text, run }: RequestedRun, maintenance: Maintenance): MaintenanceRun {
  const cause = `asked ${text}`;
  // Nothing follows a check that was all that somebody wanted.
  if (run?.step === "Check") return { ...run, step: run.step, cause };
  const begins = begun(run?.mode ?? "Quick", cause, maintenance);
  return run?.immediate ? { ...begins, immediate: true } : begins;
}

function begun(mode: MaintenanceRun["mode"], cause: string, { status }: Maintenance): MaintenanceRun {
  const damaged = status?.lastCheck?.healthy === false;
  return { mode, cause, step: damaged ? "Check" : "Maintain", ...(damaged ? { checkFirst: true } : {}) };
}

function nextOf(which: Which, decision: ScheduleDecision | undefined) {
  return decision?.next ? { [which]: decision.next } : {};
}

function missedOf(which: Which, decision: ScheduleDecision | undefined) {
  const skip = decision?.skip.find(({ reason }) => reason === "Missed");
  return skip ? { [which]: skip } : {};
}
