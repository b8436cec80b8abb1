import { expect, test } from "vitest";
import { someOf } from "./some_of.ts";

test.each([
  [["a"], "a"],
  [["a", "b", "c"], "a, b, c"],
  [["a", "b", "c", "d", "e"], "a, b, c and 2 more"],
])("%j is told as %s", (names, text) => {
  expect(someOf(names)).toBe(text);
});
