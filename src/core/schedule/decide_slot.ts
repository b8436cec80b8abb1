import { parseCron } from "../policy/cron.ts";

/** How far a schedule has come. */
export interface SlotMemory {
  /** Every scheduled time up to this one is decided, in milliseconds since 1970. */
  readonly after: number;
  /** The expression that it was decided by. */
  readonly cron: string;
}

export interface SlotDecision {
  readonly memory?: SlotMemory;
  /** The scheduled time that is due. */
  readonly due?: number;
  readonly next?: number | undefined;
  /** What is wrong with the expression. */
  readonly problem?: string;
}

/**
 * What a schedule asks for now. Of several times that were missed the last one counts. What is new, or was edited, begins
 * with the next time: a cluster that comes back is not flooded with what it missed.
 */
export function decideSlot(
  seed: string,
  expression: string | undefined,
  before: SlotMemory | undefined,
  now: number,
): SlotDecision {
  if (expression === undefined) return {};
  const parsed = parseCron({ expression, seed });
  if (!parsed.ok) return { problem: parsed.error };
  const cron = parsed.value;
  const known = before?.cron === cron.text ? before : undefined;
  // A time that is ahead was written by a clock that was wrong.
  const after = Math.min(known?.after ?? now, now);
  const first = cron.next(after);
  const due = first !== undefined && first <= now ? cron.previous(now + 1) : undefined;
  return {
    memory: { after: due ?? after, cron: cron.text },
    ...(due === undefined ? {} : { due }),
    next: cron.next(now),
  };
}
