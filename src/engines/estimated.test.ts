import { expect, test } from "vitest";
import type { Progress } from "../wire/progress.ts";
import { estimated } from "./estimated.ts";

const SURVEY = { files: 10, bytes: 1000 };

function told(...steps: readonly (readonly [ms: number, progress: Progress])[]): readonly Progress[] {
  let now = 0;
  const found: Progress[] = [];
  const report = estimated(SURVEY, { monotonic: () => now }, (progress) => found.push(progress));
  for (const [ms, progress] of steps) {
    now = ms;
    report?.(progress);
  }
  return found;
}

test("says how much there is in all, and how long the rest will take at this rate", () => {
  expect(told([2000, { files: 1, bytes: 250 }])).toEqual([
    { files: 1, bytes: 250, estimatedFiles: 10, estimatedBytes: 1000, secondsRemaining: 6 },
  ]);
});

test("says nothing of time before there is something to go by, nor when there is more than was thought", () => {
  const found = told([999, { bytes: 250 }], [5000, { bytes: 0 }], [5000, {}], [5000, { bytes: 1001 }]);
  expect(found.map(({ secondsRemaining }) => secondsRemaining)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("leaves to the engine what it knows itself", () => {
  expect(told([2000, { bytes: 250, estimatedFiles: 9, secondsRemaining: 1 }])).toMatchObject([
    { estimatedFiles: 9, estimatedBytes: 1000, secondsRemaining: 1 },
  ]);
});

test("says that no time remains once the engine knows that this is all, since the rest was ignored", () => {
  expect(told([2000, { files: 1, bytes: 250, estimatedFiles: 1, estimatedBytes: 250 }])).toEqual([
    { files: 1, bytes: 250, estimatedFiles: 1, estimatedBytes: 250, secondsRemaining: 0 },
  ]);
});

test("needs nobody who listens", () => {
  expect(estimated(SURVEY, { monotonic: () => 0 }, undefined)).toBeUndefined();
});
