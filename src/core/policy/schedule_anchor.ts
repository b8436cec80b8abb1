import type { ScheduleHistory, ScheduleRules } from "./schedule.ts";

/** From where on slots are still to be decided. */
export interface Anchor {
  readonly slot: number;
  /** The run on creation is still to be decided as well. */
  readonly creation: boolean;
}

const DAY = 86_400_000;

/**
 * A mark a few hours ahead is a clock that was set back: its slots stay decided, and none comes twice. One that is
 * further ahead was made by a clock that was wrong, and would stop the schedule until then: it begins again from now,
 * and slots that were made by mistake are found by their names.
 */
export const BELIEVED_AHEAD = DAY;

export function anchorOf(rules: ScheduleRules, history: ScheduleHistory, now: number): Anchor {
  const { mark, createdAt } = history;
  const creation = mark === undefined && rules.runOnCreate && !history.made.has(createdAt);
  const slot = mark?.slot ?? createdAt;
  if (slot > now + BELIEVED_AHEAD) return { slot: now, creation };
  // What a new expression would have meant in the past was never promised.
  if (mark !== undefined && mark.cron !== rules.cron.text) return { slot: Math.max(slot, now), creation };
  return { slot, creation };
}
