import { expect } from "vitest";
import type { Progress } from "../../wire/progress.ts";

const DONE = ["files", "bytes", "hashedBytes", "cachedBytes", "uploadedBytes", "movedBytes"] as const;

/** There was progress, and no figure of what is done went back. */
export function expectRising(seen: readonly Progress[]): void {
  expect(seen.length).toBeGreaterThan(0);
  for (const figure of DONE) {
    const values = seen.map((progress) => progress[figure] ?? 0);
    expect(values, figure).toEqual(values.toSorted((a, b) => a - b));
  }
}
