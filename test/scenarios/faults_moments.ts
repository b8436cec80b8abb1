import { type Random, seededRandom, systemRandom } from "../../src/lib/random.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";

/** The long run tries many moments; the usual one a single one, another each time. */
export const LONG = process.env.HOLDFAST_LONG !== undefined;

export const onCluster = process.env.HOLDFAST_TEST_CLUSTER !== undefined;

const BOTH = ["kopia", "restic"] as const satisfies readonly EngineName[];

/** `HOLDFAST_SEED` repeats a run. */
const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 32));

/**
 * Whether a case that takes long is tried in this world. CI, which has one seed for both, tries it in one of them, and
 * with the next seed in the other; `half`: so that both have about as much to do.
 */
export function isTriedHere(half: 0 | 1): boolean {
  if (LONG || process.env.HOLDFAST_SEED === undefined) return true;
  return (SEED + half) % 2 === (onCluster ? 1 : 0);
}

/** Chance, repeatable from the seed that a failure names. */
export class Moments {
  readonly #random: Random;

  /** `theme`: so that no two of them choose alike. */
  constructor(theme: number) {
    this.#random = seededRandom(SEED + theme);
  }

  /** How often each fault is tried. */
  static readonly times = LONG ? 10 : 1;

  /** How long a test may take that tries a fault so often, in milliseconds. */
  static readonly timeout = LONG ? 3_600_000 : 900_000;

  /** A whole number of at least 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  oneOf<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** In the long run both engines; else one, another each time, and in the other world with the same seed the other. */
  engines(): readonly EngineName[] {
    if (LONG) return BOTH;
    const embedded = this.oneOf(BOTH);
    return onCluster ? BOTH.filter((engine) => engine !== embedded) : [embedded];
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
