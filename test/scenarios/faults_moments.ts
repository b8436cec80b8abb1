import { type Random, seededRandom, systemRandom } from "../../src/lib/random.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";

/** The long run tries many moments; the usual one a single one, another each time. */
export const LONG = process.env.HOLDFAST_LONG !== undefined;

/** `HOLDFAST_SEED` repeats a run. */
const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 32));

/** Chance, repeatable from the seed that a failure names. */
export class Moments {
  readonly #random: Random;

  /** `theme`: so that no two of them choose alike. */
  constructor(theme: number) {
    this.#random = seededRandom(SEED + theme);
  }

  /** How often each fault is tried. */
  static readonly times = LONG ? 10 : 1;

  /** A whole number of at least 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  oneOf<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** One of the engines, another each time; in the long run both. */
  engines(): readonly EngineName[] {
    return LONG ? ["kopia", "restic"] : [this.oneOf<EngineName>(["kopia", "restic"])];
  }

  /** Says how to repeat what failed. */
  async seeded<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${what}: ${reason} (repeat it with HOLDFAST_SEED=${SEED})`, { cause });
    }
  }
}
