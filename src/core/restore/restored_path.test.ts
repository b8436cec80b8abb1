import { expect, test } from "vitest";
import { leadsUpwards, relativePath } from "./restored_path.ts";

test.each([
  ["letters", "letters"],
  ["/letters/anna.txt", "letters/anna.txt"],
  ["./letters//anna.txt/", "letters/anna.txt"],
  ["/", ""],
  ["", ""],
])("%j is %j", (path, wanted) => {
  expect(relativePath(path)).toBe(wanted);
});

test.each([
  ["../etc", true],
  ["a/../b", true],
  ["a..b/..c", false],
])("whether %j leads upwards: %s", (path, wanted) => {
  expect(leadsUpwards(path)).toBe(wanted);
});
