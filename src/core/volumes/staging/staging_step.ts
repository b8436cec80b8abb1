import type { RefusedStaging, StagingIntent, StagingState } from "./staging_decision.ts";

/** Where a source is, and what brings it further. */
export interface StagingStep {
  readonly state: StagingState;
  readonly intents: readonly StagingIntent[];
}

export function step(state: StagingState, ...intents: readonly StagingIntent[]): StagingStep {
  return { state, intents };
}

/** The step, unless something speaks against a capture that has not been made. */
export function unlessObjected(next: StagingStep, objection: RefusedStaging | undefined): StagingStep {
  const { state } = next;
  const captured = state.phase !== "Refused" && state.captured;
  return objection && !captured ? step(objection) : next;
}
