import { decideHooks, type HookIntent } from "../workloads/hooks/decide_hooks.ts";
import type { HookSeries } from "../workloads/hooks/hook.ts";
import type { HookSight } from "../workloads/hooks/hook_sight.ts";
import { type HooksMemory, newRound } from "./hooks_memory.ts";
import type { HooksAround } from "./hooks_series.ts";

/** How far the capture of a round is. */
export type Capture =
  /** It may go on, or begin. */
  | "Open"
  /** What happens to the volumes from now on is not in the copies. */
  | "Taken"
  /** Nothing reads the volumes any more, whatever came of it. */
  | "Over";

export interface RoundView {
  readonly hooks: HooksAround;
  readonly memory: HooksMemory | undefined;
  /** Of the hook that is under way. */
  readonly sight?: HookSight | undefined;
  /** Another capture is wanted, and nothing but the hooks stands before it. */
  readonly due: boolean;
  readonly capture: Capture;
  /** Of the run. */
  readonly attempt: number;
  /** The backup is to end: no hook before the capture is begun any more. */
  readonly ending: boolean;
  /** By then the capture has to be under way, in milliseconds since 1970. */
  readonly by?: number | undefined;
  readonly now: number;
}

export interface RoundDecision {
  /** Absent before the first round. */
  readonly memory: HooksMemory | undefined;
  readonly intents: readonly SeriesIntent[];
  /** What failed just now, also where that does not count. */
  readonly failures: readonly string[];
  readonly wakeAt?: number | undefined;
}

export interface SeriesIntent {
  readonly series: HookSeries;
  readonly intents: readonly HookIntent[];
}

/** What follows for the hooks of a backup. Pure. */
export function decideRound(view: RoundView): RoundDecision {
  const { memory, due, attempt } = view;
  if (!memory || memory.moment === "Over") {
    if (!due) return { memory, intents: [], failures: [] };
    const begun = newRound(memory, attempt);
    return advance({ ...view, hooks: renumbered(view.hooks, begun.round), sight: undefined }, begun);
  }
  return advance(view, memory);
}

/** Goes on for as long as nothing has to be waited for. */
function advance(view: RoundView, memory: HooksMemory): RoundDecision {
  switch (memory.moment) {
    case "Before": {
      const step = run(view, memory, "before");
      if (!step.over) return step.decision;
      const { failure } = step.memory.before;
      const moment = failure !== undefined || view.ending ? "After" : "Capture";
      const quiesced =
        view.hooks.before.hooks.length > 0 ? { quiescedAt: new Date(view.now).toISOString() } : {};
      const next = { ...step.memory, ...quiesced, moment } as const;
      return joined(step.decision, advance({ ...view, capture: "Open" }, next));
    }
    case "Capture": {
      if (view.capture === "Open") {
        const wakeAt = view.by !== undefined && view.by > view.now ? { wakeAt: view.by } : {};
        return { memory, intents: [], failures: [], ...wakeAt };
      }
      const captured = view.capture === "Taken" ? { captured: true } : {};
      return advance(view, { ...memory, ...captured, moment: "After" });
    }
    case "After": {
      const step = run(view, memory, "after");
      if (!step.over) return step.decision;
      return { ...step.decision, memory: { ...step.memory, moment: "Over" } };
    }
    case "Over":
      return { memory, intents: [], failures: [] };
  }
}

function run(view: RoundView, memory: HooksMemory, which: "before" | "after") {
  const series = view.hooks[which];
  const { progress, over, intents, failures, wakeAt } = decideHooks({
    hooks: series.hooks,
    progress: memory[which],
    sight: view.sight,
    always: which === "after",
    stop: which === "before" && view.ending,
    now: view.now,
  });
  const next = { ...memory, [which]: progress };
  const decision: RoundDecision = {
    memory: next,
    intents: intents.length > 0 ? [{ series, intents }] : [],
    failures,
    ...(wakeAt === undefined ? {} : { wakeAt }),
  };
  return { over, memory: next, decision };
}

function joined(first: RoundDecision, then: RoundDecision): RoundDecision {
  return {
    ...then,
    intents: [...first.intents, ...then.intents],
    failures: [...first.failures, ...then.failures],
  };
}

function renumbered({ before, after }: HooksAround, round: number): HooksAround {
  return { before: { ...before, round }, after: { ...after, round } };
}
