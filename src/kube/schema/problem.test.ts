import { expect, test } from "vitest";
import { showNumber } from "./problem.ts";

test.each([
  [1, "1"],
  [-0.5, "-0.5"],
  [2 ** 53, "9007199254740992"],
  [1e-7, "1e-07"],
  [1e22, "1e+22"],
  [2.5e20, "2.5e+20"],
])("showNumber(%d) is %s, as Go prints it", (value, text) => {
  expect(showNumber(value)).toBe(text);
});
