import type { Clock } from "../../lib/clock.ts";
import type { Change } from "./store.ts";

export interface HistoryOptions {
  readonly clock: Clock;
  /** Changes up to and including this revision are not known. */
  readonly floor: number;
  /** Changes that are remembered at most. */
  readonly limit: number;
  /** How long a change is remembered at most, in milliseconds. */
  readonly maxAge: number;
}

/** The last changes, without gaps, for watches that resume. */
export class History {
  readonly #options: HistoryOptions;
  #floor: number;
  readonly #changes: Change[] = [];
  readonly #times: number[] = [];

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#floor = options.floor;
  }

  push(change: Change): void {
    const { clock, limit, maxAge } = this.#options;
    const now = clock.monotonic();
    this.#changes.push(change);
    this.#times.push(now);
    let old = Math.max(0, this.#changes.length - limit);
    while ((this.#times[old] ?? now) < now - maxAge) old++;
    if (old > 0) this.forget(this.#floor + old);
  }

  /** Every change after `revision`, or undefined when some of them are forgotten. */
  since(revision: number): readonly Change[] | undefined {
    return revision < this.#floor ? undefined : this.#changes.slice(revision - this.#floor);
  }

  forget(revision: number): void {
    const count = Math.min(revision - this.#floor, this.#changes.length);
    if (count <= 0) return;
    this.#changes.splice(0, count);
    this.#times.splice(0, count);
    this.#floor += count;
  }
}
