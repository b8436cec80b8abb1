import type { Clock } from "./clock.ts";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** So many timers at one moment are none that something waits for: each sets the next for now. */
const RESTLESS = 100_000;

/**
 * A Clock that stands still until told to move, for tests and simulation. Timers fire in the order of their
 * due times; between two timers every promise that is already settled is let through.
 */
export class VirtualClock implements Clock {
  #monotonic = 0;
  #offset: number;
  #order = 0;
  #timers: Timer[] = [];

  constructor(start: Date | string | number = "2026-01-01T00:00:00Z") {
    this.#offset = new Date(start).getTime();
  }

  now(): number {
    return this.#offset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#monotonic + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }

  /** Sets the wall clock, as an administrator or NTP would: monotonic time and timers do not notice. */
  step(ms: number): void {
    this.#offset += ms;
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Moves time forward, firing on the way what falls due. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    let atOnce = 0;
    await settle();
    for (;;) {
      const next = this.#nextDue();
      if (!next || next.due > end) break;
      this.#timers = this.#timers.filter((t) => t !== next);
      atOnce = next.due > this.#monotonic ? 0 : atOnce + 1;
      if (atOnce > RESTLESS) throw new Error(`${atOnce} timers at one moment: time does not go on`);
      this.#monotonic = Math.max(this.#monotonic, next.due);
      next.callback();
      await settle();
    }
    this.#monotonic = end;
  }

  /** Jumps to the next timer and fires it. False when none is waiting. */
  async advanceToNext(): Promise<boolean> {
    await settle();
    const next = this.#nextDue();
    if (!next) return false;
    await this.advance(Math.max(0, next.due - this.#monotonic));
    return true;
  }

  #nextDue(): Timer | undefined {
    let next: Timer | undefined;
    for (const t of this.#timers) {
      if (!next || t.due < next.due || (t.due === next.due && t.order < next.order)) next = t;
    }
    return next;
  }
}

/** Lets settled promises, and what they start, run: a macrotask comes after all microtasks. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
