import type { StagingIntent, StagingState } from "./staging_decision.ts";

/** Where a source is, and what brings it further. */
export interface StagingStep {
  readonly state: StagingState;
  readonly intents: readonly StagingIntent[];
}

export function step(state: StagingState, ...intents: readonly StagingIntent[]): StagingStep {
  return { state, intents };
}
