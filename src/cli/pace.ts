import type { Clock } from "../lib/clock.ts";

/** Below this, a rate would only be noise. */
const SOONEST = 500;
/** How much a new measurement counts against those before. */
const WEIGHT = 0.3;

/** How fast work goes, smoothed over what was seen of it. */
export class Pace {
  readonly #clock: Pick<Clock, "monotonic">;
  #last: { readonly at: number; readonly done: number } | undefined;
  #perSecond: number | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Takes in how much is done by now. Returns the amount a second, once it can be told. */
  seen(done: number): number | undefined {
    const at = this.#clock.monotonic();
    const last = this.#last;
    if (last && at - last.at < SOONEST) return this.#perSecond;
    this.#last = { at, done };
    if (!last) return undefined;
    const now = Math.max(0, done - last.done) / ((at - last.at) / 1000);
    this.#perSecond = this.#perSecond === undefined ? now : this.#perSecond * (1 - WEIGHT) + now * WEIGHT;
    return this.#perSecond;
  }
}
