import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Random, seededRandom, systemRandom } from "./random.ts";

const take = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

describe("seededRandom()", () => {
  test("gives the same sequence for the same seed", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [a, b] = [seededRandom(seed), seededRandom(seed)];
        expect(take(a, 5)).toEqual(take(b, 5));
        expect(a.hex(8)).toBe(b.hex(8));
      }),
    );
  });

  test("gives the sequence that it always gave", () => {
    expect(take(seededRandom(1), 3).map((value) => Math.floor(value * 1e6))).toEqual([627073, 2735, 527447]);
  });

  test("gives another sequence for another seed", () => {
    const firsts = Array.from({ length: 100 }, (_, seed) => seededRandom(seed).hex(8));
    expect(new Set(firsts).size).toBe(100);
  });

  test("spreads evenly", () => {
    const tenths = new Array<number>(10).fill(0);
    for (const value of take(seededRandom(7), 10_000)) {
      const tenth = Math.floor(value * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});

describe.each([
  ["systemRandom", systemRandom],
  ["seededRandom()", seededRandom(3)],
] as const)("%s", (_, random) => {
  test("stays at least 0 and below 1", () => {
    for (const value of take(random, 1000)) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
    }
  });

  test("hex() gives as many bytes as asked for", () => {
    fc.assert(
      fc.property(fc.nat(32), (length) => {
        expect(random.hex(length)).toMatch(new RegExp(`^[0-9a-f]{${length * 2}}$`));
      }),
    );
  });
});
