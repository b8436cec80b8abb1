import type { Clock } from "../../lib/clock.ts";

/** Passes on that something is new, at most once in an interval; what comes in between is passed on at its end. */
export class News {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #announce: () => void;
  #due = 0;
  #cancel: (() => void) | undefined;

  constructor(options: { readonly clock: Clock; readonly interval: number; readonly announce: () => void }) {
    this.#clock = options.clock;
    this.#interval = options.interval;
    this.#announce = options.announce;
  }

  /** `urgent` does not wait. */
  add(urgent: boolean): void {
    const wait = urgent ? 0 : this.#due - this.#clock.monotonic();
    if (wait <= 0) this.#pass();
    else this.#cancel ??= this.#clock.after(wait, () => this.#pass());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #pass(): void {
    this.stop();
    this.#due = this.#clock.monotonic() + this.#interval;
    this.#announce();
  }
}
