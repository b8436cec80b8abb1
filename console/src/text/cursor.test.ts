import { expect, test } from "vitest";
import { moved } from "./cursor.ts";

test.each([
  ["ArrowDown", 0, 1],
  ["ArrowDown", 9, 9],
  ["ArrowUp", 0, 0],
  ["ArrowUp", 5, 4],
  ["PageDown", 2, 6],
  ["PageDown", 8, 9],
  ["PageUp", 2, 0],
  ["Home", 7, 0],
  ["End", 2, 9],
  ["Enter", 2, undefined],
] as const)("%s moves from %i to %s of ten, four to a page", (key, at, to) => {
  expect(moved(key, at, 10, 4)).toBe(to);
});

test("in an empty list nothing moves", () => {
  expect(moved("ArrowDown", 0, 0, 4)).toBeUndefined();
});
