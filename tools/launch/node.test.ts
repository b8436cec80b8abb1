import { expect, test } from "vitest";
import { isGoodEnough } from "./node.mjs";

test.each([
  ["24.21.0", true],
  ["24.22.0", true],
  ["24.9.0", false],
  ["20.20.2", false],
  ["26.0.0", false],
])("isGoodEnough(%j) for 24.21.0 is %j", (has, expected) => {
  expect(isGoodEnough(has, "24.21.0")).toBe(expected);
});
