import { parseCron } from "../../../core/policy/cron.ts";
import { durationMs } from "../../../core/policy/duration.ts";
import type { ScheduleRules } from "../../../core/policy/schedule.ts";
import {
  decideSchedule,
  type ScheduleDecision,
  type Skip,
  type Slot,
} from "../../../core/policy/schedule_decision.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { type RunWish, runWish } from "./run_wish.ts";
import { type MaintenanceMemory, memoryOf, type Turn, type Which } from "./turn.ts";

export interface PlanRequest {
  readonly maintenance: Maintenance;
  /** A turn is under way. */
  readonly busy: boolean;
  /** Nothing is in the way of another one. */
  readonly mayBegin: boolean;
  readonly now: number;
}

/** Which turn it is, and which come next. */
export interface Plan {
  readonly memory: MaintenanceMemory;
  /** The turn begins just now. */
  readonly fresh: boolean;
  /** Slots that were missed: one later turn stands for all of them. */
  readonly missed: Readonly<Partial<Record<Which, Skip>>>;
  /** A request that nobody understands. */
  readonly unknownWish?: string;
  /** The request that is answered by now. */
  readonly handledWish?: string;
  /** Whether it is decided what becomes of the slots until now. */
  readonly decided: boolean;
  readonly next: Readonly<Partial<Record<Which, Slot>>>;
}

/** Decides whose turn it is: what runs goes on, then comes what somebody asked for, then what is due. Pure. */
export function planTurn(request: PlanRequest): Plan {
  const { maintenance, busy, mayBegin, now } = request;
  const { spec, status, metadata } = maintenance;
  const memory = memoryOf(status);
  const due = { quick: decide(request, memory, "quick"), full: decide(request, memory, "full") };
  const next = { ...nextOf("quick", due.quick), ...nextOf("full", due.full) };
  const waiting = { memory, fresh: false, missed: {}, decided: false, next };
  if (busy || !mayBegin) return waiting;
  const wish = runWish(metadata.annotations?.[ANNOTATIONS.runRequested], status?.handledRunRequest);
  if (wish && !wish.turn) return { ...waiting, unknownWish: wish.text, handledWish: wish.text };
  if (wish) {
    const turn = asked(wish, maintenance);
    return { ...waiting, memory: { ...memory, turn }, fresh: true, handledWish: wish.text };
  }
  const marks = {
    ...memory.marks,
    ...(due.quick ? { quick: due.quick.mark } : {}),
    ...(due.full ? { full: due.full.mark } : {}),
  };
  const turn = dueTurn(due, maintenance);
  const kept = turn ?? memory.turn;
  const { suspend: suspended } = spec.schedule;
  const resumedAt = memory.suspended && !suspended ? now : memory.resumedAt;
  return {
    memory: {
      marks,
      suspended,
      ...(resumedAt === undefined ? {} : { resumedAt }),
      ...(kept ? { turn: kept } : {}),
    },
    fresh: turn !== undefined,
    missed: { ...missedOf("quick", due.quick), ...missedOf("full", due.full) },
    decided: true,
    next,
  };
}

/** The schedule as it was written; undefined where nobody could tell when it is due, which a rule refuses. */
export function turnRules({ metadata, spec }: Maintenance, which: Which): ScheduleRules | undefined {
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
  const rules = turnRules(maintenance, which);
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

/** A full turn does what a quick one would have done. */
function dueTurn(
  due: Readonly<Record<Which, ScheduleDecision | undefined>>,
  maintenance: Maintenance,
): Turn | undefined {
  const slot = due.full?.fire ?? due.quick?.fire;
  if (!slot) return undefined;
  return begun(due.full?.fire ? "Full" : "Quick", new Date(slot.slot).toISOString(), maintenance);
}

function asked({ text, turn }: RunWish, maintenance: Maintenance): Turn {
  const cause = `asked ${text}`;
  // Nothing follows a check that was all that somebody wanted.
  if (turn?.step === "Check") return { mode: turn.mode, step: turn.step, cause };
  const begins = begun(turn?.mode ?? "Quick", cause, maintenance);
  return turn?.immediate ? { ...begins, immediate: true } : begins;
}

function begun(mode: Turn["mode"], cause: string, { status }: Maintenance): Turn {
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
