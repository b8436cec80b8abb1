import type { Clock } from "../lib/clock.ts";

/** For so long an answer counts as one that was just given. */
const FRESH_MS = 60_000;

/**
 * What was found out about snapshots a moment ago. A session asks about the same few again and again, and each answer
 * costs a run of the engine; what is in a snapshot never changes.
 */
export class Recent<T> {
  readonly #clock: Clock;
  #since = Number.NEGATIVE_INFINITY;
  #known = new Map<string, T>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(snapshot: string): T | undefined {
    return this.#clock.monotonic() < this.#since + FRESH_MS ? this.#known.get(snapshot) : undefined;
  }

  /** Takes the place of all that was known before, unless that is as fresh. */
  add(found: Iterable<readonly [snapshot: string, T]>): void {
    const now = this.#clock.monotonic();
    if (now >= this.#since + FRESH_MS) {
      this.#since = now;
      this.#known = new Map();
    }
    for (const [snapshot, known] of found) this.#known.set(snapshot, known);
  }

  /** Snapshots were deleted. */
  forget(): void {
    this.#known = new Map();
  }
}
