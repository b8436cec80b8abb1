import { expect, test } from "vitest";
import { hasShrunk, type Shrinkage } from "./shrinkage.ts";

const none = { known: 0, missing: 0 };
const lacks = (missing: number, known: number) => ({ known, missing });

test.each<[string, Shrinkage, boolean]>([
  ["nothing is missing", { made: lacks(0, 50), found: lacks(0, 50), total: 100 }, false],
  ["nothing was known, and nothing is there", { made: none, found: none, total: 0 }, false],
  ["a few of ours are gone", { made: lacks(4, 5), found: none, total: 1 }, false],
  ["half of ours are gone", { made: lacks(50, 100), found: none, total: 50 }, false],
  ["most of ours are gone", { made: lacks(51, 100), found: none, total: 49 }, true],
  [
    "most of ours are gone, and others have come",
    { made: lacks(6, 10), found: none, total: 500, before: 10 },
    true,
  ],
  ["the only one is gone, and nothing else is there", { made: none, found: lacks(1, 1), total: 0 }, true],
  [
    "most of the others' are gone, and the list is as long as before",
    { made: none, found: lacks(24, 24), total: 24, before: 24 },
    false,
  ],
  [
    "most of the others' are gone, and with them most of the list",
    { made: none, found: lacks(24, 24), total: 11, before: 24 },
    true,
  ],
  [
    "most of the others' are gone, and nobody knows how long the list was",
    { made: none, found: lacks(24, 24), total: 24 },
    true,
  ],
])("hasShrunk(): %s", (_, numbers, wanted) => {
  expect(hasShrunk(numbers)).toBe(wanted);
});
