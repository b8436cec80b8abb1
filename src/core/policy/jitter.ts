import { sha256 } from "../../lib/hash.ts";
import type { Cron } from "./cron.ts";

const SECOND = 1000;

export interface Jitter {
  /** The UID of the schedule: every replica, and every one after it, comes to the same time. */
  readonly uid: string;
  /** Milliseconds within which its slots are spread. */
  readonly window: number;
}

/**
 * When the work of a slot begins: some whole seconds after it, less than the window and before the next slot, so that
 * slots keep their order and never meet.
 */
export function fireTime(cron: Cron, slot: number, jitter: Jitter): number {
  const room = Math.min(jitter.window, (cron.next(slot) ?? Number.POSITIVE_INFINITY) - slot);
  const seconds = Math.floor(room / SECOND);
  if (!(seconds > 0)) return slot;
  const hash = Number.parseInt(sha256(`${jitter.uid}\n${slot}`).slice(0, 12), 16);
  return slot + (hash % seconds) * SECOND;
}
