import type { Clock } from "../lib/clock.ts";
import type { RateLimits } from "../wire/work.ts";

/**
 * How long an operation may stand still before its storage counts as gone: some clients of storages repeat what fails
 * in silence and without end. No storage that is of any use takes so long for one of an engine's packs.
 */
const STANDSTILL_MS = 900_000;
/** More than any pack, in bytes: where the speed is limited, each takes its time. */
const PACK = 128 * 2 ** 20;

/** The standstill that is borne at this speed. `usual`: at full speed, in milliseconds; default a quarter of an hour. */
export function standstillAt({ upload, download }: RateLimits = {}, usual = STANDSTILL_MS): number {
  const slowest = Math.min(...[upload, download].filter((limit) => limit !== undefined));
  return usual + Math.ceil((PACK / slowest) * 1000);
}

/** Slower than this, in bytes a second, nothing is waited for. */
const SLOWEST = 2_000_000;

/** What a figure with one decimal, as in 1.2 TB, takes to change at the slowest speed, in milliseconds. */
export function coarseness(bytes: number): number {
  if (bytes < 1000) return 0;
  const unit = 10 ** (3 * Math.floor(Math.log10(bytes) / 3));
  return (unit / 10 / SLOWEST) * 1000;
}

/** Calls back once nothing has moved for so long. */
export class Standstill implements Disposable {
  readonly ms: number;
  readonly #clock: Clock;
  readonly #end: () => void;
  #at = "";
  #cancel = () => {};

  constructor(clock: Clock, ms: number, end: () => void) {
    this.ms = ms;
    this.#clock = clock;
    this.#end = end;
    this.#wait();
  }

  /**
   * It is as far as these figures say; to say the same again is to stand still. `more`: what is borne beyond the usual,
   * in milliseconds, where figures are too coarse to change sooner.
   */
  seen(figures: object, more = 0): void {
    const at = JSON.stringify(figures);
    if (at === this.#at) return;
    this.#at = at;
    this.#wait(more);
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #wait(more = 0): void {
    this.#cancel();
    this.#cancel = this.#clock.after(this.ms + more, this.#end);
  }
}
