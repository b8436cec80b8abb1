import type { Clock } from "../../lib/clock.ts";
import { LruMap } from "../../lib/lru_map.ts";

/** How long something has been as it is, as far as this process saw it: other machines' clocks do not count. */
export class FirstSeen {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #seen: LruMap<string, number>;

  constructor(clock: Pick<Clock, "monotonic">, capacity = 4096) {
    this.#clock = clock;
    this.#seen = new LruMap(capacity);
  }

  /** Milliseconds since this was first asked for `what`. */
  age(what: string): number {
    const now = this.#clock.monotonic();
    const since = this.#seen.get(what) ?? now;
    this.#seen.set(what, since);
    return now - since;
  }
}
