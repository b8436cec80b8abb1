import type { WantedCondition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Intent } from "../reconcile/decision.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateIn } from "../reconcile/ready_state.ts";
import { recordsOf } from "../reconcile/records.ts";
import { type HookProgress, NOTHING_DONE } from "../workloads/hooks/hook_progress.ts";
import type { BackupDecision, BackupState } from "./backup.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import type { ObservedHooks } from "./gates.ts";
import {
  type HeldEnd,
  HOOKS,
  type HooksMemory,
  type HooksStatus,
  hookFailure,
  inRound,
  RUNNING_HOOKS,
} from "./hooks_memory.ts";
import { type Capture, decideRound } from "./hooks_round.ts";
import type { HooksAround } from "./hooks_series.ts";

const HOOK_FAILED = "HookFailed";

/** The decision, and with it the hooks: a backup ends once those after the capture have run. */
export function withHooks(base: BackupDecision, observed: ObservedBackup): BackupDecision {
  const { backup, hooks, run, now } = observed;
  if (!hooks) return base;
  const end = hooks.memory?.end ?? endOf(base.status, backup.status);
  const { memory, ...round } = decideRound({
    ...hooks,
    capture: captureOf(observed),
    attempt: run?.ok ? run.value.decision.record.attempt : 1,
    ending: hooks.ending || end !== undefined,
    due: hooks.due && end === undefined,
    now,
  });
  const decision: BackupDecision = {
    ...base,
    intents: [...base.intents, ...round.intents.map((one): Intent => ({ type: "Hooks", ...one }))],
    wakeAt: soonest(base.wakeAt, round.wakeAt),
  };
  const idle = !inRound(memory) && memory === hooks.memory && !end;
  if (!memory || idle) return decision;
  const failures = round.failures.map(
    (message): EventNote => ({ type: "Warning", reason: HOOK_FAILED, message }),
  );
  const shown = { ...(base.status ?? backup.status), hooks: shownHooks(memory, hooks.hooks) };
  const told =
    end && !inRound(memory) ? atLast(shown, memory, end, now) : meanwhile(shown, memory, hooks, end);
  const readyState = told.readyState ?? readyStateIn(shown);
  const conditions = conditionsFor(
    { ...backup, status: shown },
    readyState,
    quiesced(memory, hooks.hooks),
    now,
  );
  const work = { ...recordsOf(shown), [HOOKS]: told.memory };
  return {
    ...decision,
    status: { ...told.status, conditions, work },
    events: [...(told.readyState ? newsOf(backup, told.readyState) : (base.events ?? [])), ...failures],
  };
}

interface Told {
  readonly status: BackupState;
  readonly memory: HooksMemory;
  /** Where the hooks have more to say than the run. */
  readonly readyState?: ReadyState | undefined;
}

/** While hooks have to run, a backup that has ended waits with its end. */
function meanwhile(
  shown: BackupState,
  memory: HooksMemory,
  { hooks }: ObservedHooks,
  end: HeldEnd | undefined,
): Told {
  const readyState = readyStateOfHooks(memory, hooks);
  return end
    ? { status: { ...shown, phase: "Running" }, memory: { ...memory, end }, readyState }
    : { status: shown, memory, readyState };
}

/** The backup's end. A hook that must not fail and did is the end of every backup. */
function atLast(shown: BackupState, memory: HooksMemory, end: HeldEnd, now: number): Told {
  const { round, attempt } = memory;
  const over = { round, attempt, moment: "Over", before: NOTHING_DONE, after: NOTHING_DONE } as const;
  const message = hookFailure(memory);
  if (message === undefined) {
    const room = end.phase === "Succeeded" ? withoutHooks(shown) : {};
    return { status: { ...shown, ...room, phase: end.phase }, memory: over, readyState: end.stand };
  }
  const failure = {
    errorClass: HOOK_FAILED,
    message,
    retry: "terminal",
    attempt,
    at: timestamp(now),
  } as const;
  return {
    status: { ...shown, phase: "Failed", failure },
    memory: over,
    readyState: { state: "stalled", reason: HOOK_FAILED, message },
  };
}

/** What has succeeded is not run again: its hooks make room. */
function withoutHooks({ plan }: BackupState): Pick<BackupState, "plan"> {
  if (!plan) return {};
  const { hooks: _, ...settings } = plan.settings;
  return { plan: { ...plan, settings } };
}

/** How a backup ends just now; undefined where it does not, or did before. */
function endOf(status: BackupState | undefined, before: BackupState | undefined): HeldEnd | undefined {
  const phase = status?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return undefined;
  return before?.phase === phase ? undefined : { phase, stand: readyStateIn(status) };
}

/** How far the capture of the current round is. */
function captureOf({ run, copies, hooks, request }: ObservedBackup): Capture {
  if (!run?.ok) return "Over";
  const { record, state } = run.value.decision;
  const over = record.outcome !== undefined || state.phase === "Ended" || record.step !== "Work";
  // What starts after its time does not count: it is told to end.
  if (over || record.late || record.attempt !== hooks?.memory?.attempt) return "Over";
  if (request.ok && request.value.plan.copyMethod === "Direct") {
    // Whoever may not begin must not keep the workload waiting.
    return record.job === undefined && !hooks.open ? "Over" : "Open";
  }
  if (copies?.phase === "GivenUp") return "Over";
  if (copies?.phase === "Staging") {
    const reached = copies.decision.state;
    if (reached.phase === "Refused") return "Over";
    return reached.captured ? "Taken" : "Open";
  }
  // Some copies are made only when their mover starts, and then it reads them.
  return state.phase === "Working" && state.state.phase === "Running" ? "Taken" : "Open";
}

/** How a backup stands while hooks run; undefined during the capture, which has words of its own. */
function readyStateOfHooks(
  { moment, before, after }: HooksMemory,
  hooks: HooksAround,
): ReadyState | undefined {
  if (moment !== "Before" && moment !== "After") return undefined;
  const [{ finished }, series] = moment === "Before" ? [before, hooks.before] : [after, hooks.after];
  const failure = before.failure ?? after.failure;
  const running = `Hook ${series.hooks[finished]?.name} is running.`;
  return {
    state: "reconciling",
    reason: RUNNING_HOOKS,
    message: failure ? `${failure} ${running}` : running,
    warning: failure !== undefined,
  };
}

/** Whether the workload was made ready for the capture. */
function quiesced({ moment, before }: HooksMemory, hooks: HooksAround): readonly WantedCondition[] {
  if (hooks.before.hooks.length === 0 || moment === "Before") return [];
  const type = CONDITIONS.sourcesQuiesced;
  return before.failure
    ? [{ type, status: "False", reason: HOOK_FAILED, message: before.failure }]
    : [
        {
          type,
          status: "True",
          reason: "HooksSucceeded",
          message: "The hooks before the snapshot have run.",
        },
      ];
}

/** The hooks as a status shows them. */
function shownHooks(memory: HooksMemory, hooks: HooksAround): HooksStatus {
  const { moment, before, after } = memory;
  const begun = moment === "After" || moment === "Over";
  return {
    ...(hooks.before.hooks.length > 0 ? { before: shown(before, moment === "Before") } : {}),
    ...(hooks.after.hooks.length > 0 && begun ? { after: shown(after, moment === "After") } : {}),
  };
}

function shown({ failure, tolerated, finished }: HookProgress, running: boolean) {
  const message = failure ?? tolerated;
  const state = running ? "Running" : failure ? "Failed" : "Succeeded";
  return { state, finished, ...(message ? { message } : {}) } as const;
}
