import type { Clock } from "../../../lib/clock.ts";
import { unlessAborted } from "../../../lib/unless_aborted.ts";

/** Lets one wait end early. A ring that nobody waits for is kept for the next wait. */
export class Doorbell {
  readonly #clock: Clock;
  #rung = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly ring = (): void => this.#rung.resolve();

  /** Waits for a ring, at most this long. Rejects with the signal's reason. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    const cancel = this.#clock.after(ms, this.ring);
    try {
      await unlessAborted(this.#rung.promise, signal);
    } finally {
      cancel();
      this.#rung = Promise.withResolvers<void>();
    }
  }
}
