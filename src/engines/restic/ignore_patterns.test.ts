import { expect, test } from "vitest";
import { ignoreArguments, resticPattern } from "./ignore_patterns.ts";

test.each([
  ["*.log", "*.log"],
  ["/top", "/data/\\[x\\]/top"],
  ["a/b", "/data/\\[x\\]/a/b"],
  ["cache/", "cache/*"],
  ["!keep", "!keep"],
  ["!/a/keep", "!/data/\\[x\\]/a/keep"],
])("resticPattern() makes %s of a source to %s", (rule, wanted) => {
  expect(resticPattern("/data/[x]", rule)).toBe(wanted);
});

test("ignoreArguments() passes over comments and blank lines", () => {
  expect(ignoreArguments("/data", { paths: ["# comment", "", "x"] })).toEqual(["--exclude", "x"]);
});

test("ignoreArguments() refuses ignore files in the data, which restic does not read", () => {
  expect(() => ignoreArguments("/data", { files: [".gitignore"] })).toThrow(/does not read ignore files/);
});
