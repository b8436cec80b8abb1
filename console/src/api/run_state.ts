import type { Problem, RunEvent } from "../../../src/cli/console/contract.ts";

/** How a command stands. `ended`: its stream stopped before it told its end. */
export interface RunState {
  readonly phase: "idle" | "running" | "done" | "failed" | "ended";
  /** What it said, in order. */
  readonly lines: readonly { readonly from: "out" | "note"; readonly line: string }[];
  /** The line that changes. */
  readonly progress?: string | undefined;
  readonly problem?: Problem | undefined;
  /** Of a plan: the volume that loses files, which has to be confirmed by its name. */
  readonly confirmDeletion?: string | undefined;
}

export const IDLE: RunState = { phase: "idle", lines: [] };
export const RUNNING: RunState = { phase: "running", lines: [] };

/** So many lines are kept on the screen. */
const MOST_LINES = 2_000;

export function afterEvent(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "out":
    case "note": {
      const lines = [...state.lines, { from: event.type, line: event.line }].slice(-MOST_LINES);
      return { ...state, lines };
    }
    case "progress":
      return { ...state, progress: event.line };
    case "plan":
      return { ...state, confirmDeletion: event.confirmDeletion };
    case "done":
      return { ...state, phase: "done", progress: undefined };
    case "failed": {
      const { message, why, fix } = event;
      return { ...state, phase: "failed", progress: undefined, problem: { message, why, fix } };
    }
  }
}

/** The stream is over. */
export function afterEnd(state: RunState): RunState {
  if (state.phase !== "running") return state;
  const problem = {
    message: "The connection ended before the command told its end",
    fix: "Look at Activity: a run that began goes on without this page.",
  };
  return { ...state, phase: "ended", progress: undefined, problem };
}
