import { expect, test } from "vitest";
import { didYouMean } from "./did_you_mean.ts";

const COMMANDS = ["status", "list", "restore", "retry", "hold", "unhold", "documents"];

test.each([
  ["statsu", "status"],
  ["hodl", "hold"],
  ["Restore", "restore"],
  ["documnets", "documents"],
  ["lst", "list"],
  ["restoer", "restore"],
  ["frobnicate", undefined],
  ["x", undefined],
  ["", undefined],
])("%j may mean %j", (word, wanted) => {
  expect(didYouMean(word, COMMANDS)).toBe(wanted);
});
