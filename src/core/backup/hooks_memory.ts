import type { ReadyState } from "../reconcile/ready_state.ts";
import { recordsOf } from "../reconcile/records.ts";
import { type HookProgress, NOTHING_DONE } from "../workloads/hooks/hook_progress.ts";

/** The reason of what waits for hooks. */
export const RUNNING_HOOKS = "RunningHooks";

/** Where the status keeps it, beside the records of runs. */
export const HOOKS = "hooks";

/**
 * How it stands with the hooks of a backup. A round is: the hooks before, the capture, the hooks after. With copies there
 * is one for each try to make them, without copies one for each attempt of the mover.
 */
export interface HooksMemory {
  /** Counted from 1. */
  readonly round: number;
  readonly moment: Moment;
  /** Of the run, when the round began. */
  readonly attempt: number;
  readonly before: HookProgress;
  /** ISO 8601. Since then the hooks before the capture have run, and the workload waits for it. */
  readonly quiescedAt?: string;
  readonly after: HookProgress;
  /** What happens to the volumes from now on is not in the copies. */
  readonly captured?: boolean;
  /** How the backup ended: told once the hooks after it have run. */
  readonly end?: HeldEnd;
}

export type Moment = "Before" | "Capture" | "After" | "Over";

/** The hooks as a status shows them. */
export interface HooksStatus {
  readonly before?: SeriesStatus;
  readonly after?: SeriesStatus;
}

export interface SeriesStatus {
  readonly state: "Running" | "Succeeded" | "Failed";
  /** Hooks that have ended. */
  readonly finished: number;
  readonly message?: string;
}

export interface HeldEnd {
  readonly phase: "Succeeded" | "Failed";
  readonly stand: ReadyState;
}

/** It was written here, so its shape is not checked again. */
export function hooksMemoryOf(status: object | undefined): HooksMemory | undefined {
  return recordsOf(status)[HOOKS] as HooksMemory | undefined;
}

/** Something was begun, and the hooks after it have not all run. */
export function inRound(memory: HooksMemory | undefined): memory is HooksMemory {
  return memory !== undefined && memory.moment !== "Over";
}

export function newRound(memory: HooksMemory | undefined, attempt: number): HooksMemory {
  const round = (memory?.round ?? 0) + 1;
  return { round, moment: "Before", attempt, before: NOTHING_DONE, after: NOTHING_DONE };
}

/** Why the backup cannot go on, or could not: a hook failed that must not. */
export function hookFailure({ before, after }: HooksMemory): string | undefined {
  return before.failure ?? after.failure;
}
