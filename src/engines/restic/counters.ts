import type { Meter } from "../meter.ts";

/** Such as `[0:01] 50.00%  3 / 6 packs copied`, and `[0:01]          3 index files loaded`. */
const COUNTER = /^\[[\d:]+\] +(?:[\d.]+% +)?(\d+)(?: \/ (\d+))? (.+)$/;

interface Count {
  readonly of: string;
  readonly done: number;
  readonly all: number;
  /** It was known from the beginning how many there are. */
  readonly bounded: boolean;
}

/** Adds up what restic counts of a repository, one sort of things after the other. */
export class Counters {
  readonly #meter: Pick<Meter, "printed">;
  #earlier = { done: 0, all: 0 };
  #now: Count = { of: "", done: 0, all: 0, bounded: false };

  constructor(meter: Pick<Meter, "printed">) {
    this.#meter = meter;
  }

  /** A line of restic's, in which something may be counted. */
  read(line: unknown): void {
    const [, done, all, of = ""] = COUNTER.exec(String(line)) ?? [];
    if (done === undefined) return;
    this.#count({ of, done: Number(done), all: Number(all ?? done), bounded: all !== undefined });
    this.#meter.printed({
      files: this.#earlier.done + this.#now.done,
      estimatedFiles: this.#earlier.all + this.#now.all,
    });
  }

  #count(count: Count): void {
    const { of, done, all, bounded } = this.#now;
    // The same sort begins anew with each snapshot that is copied.
    const isOver = bounded && done === all && count.all !== all;
    if (count.of !== of || count.done < done || count.all < all || isOver)
      this.#earlier = { done: this.#earlier.done + done, all: this.#earlier.all + all };
    this.#now = count;
  }
}
