import { expect, test } from "vitest";
import { defined } from "./defined.ts";

test("defined() drops what has no value, and nothing else", () => {
  expect(Object.entries(defined({ a: undefined, b: 0, c: "", d: false, e: null }))).toEqual([
    ["b", 0],
    ["c", ""],
    ["d", false],
    ["e", null],
  ]);
});
