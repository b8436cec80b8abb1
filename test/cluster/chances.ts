import type { Random } from "../../src/lib/random.ts";

export type Fields = Record<string, unknown>;

/** Random choices, repeatable from the seed. */
export class Chances {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  oneOf<T>(...values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.#random.next() * values.length)] ?? values[0];
  }

  /** Some of the fields, each made only when it is chosen. */
  some(makers: Readonly<Record<string, () => unknown>>, share: number): Fields {
    const chosen = Object.entries(makers).filter(() => this.chance(share));
    return Object.fromEntries(chosen.map(([name, make]) => [name, make()]));
  }

  /** Up to three different values, in any order. */
  several<T>(make: () => T): T[] {
    const values = Array.from({ length: Math.floor(this.#random.next() * 4) }, make);
    return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
  }

  /** One of few words, so that two writers often mean the same. */
  readonly word = (): string => this.oneOf("a", "b", "c");

  readonly words = (): string[] => this.several(this.word);

  map(make: () => unknown): Fields {
    return this.some({ k1: make, k2: make, "k/3": make }, 0.5);
  }
}
