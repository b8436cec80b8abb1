import { describe, expect, test } from "vitest";
import { matchesGlob } from "./glob.ts";

describe("matchesGlob()", () => {
  test.each([
    ["a.txt", "a.txt", true],
    ["a.txt", "b.txt", false],
    ["*.txt", "a.txt", true],
    ["*.txt", ".txt", true],
    ["*.txt", "a.txt.gz", false],
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["?", "a", true],
    ["?", "", false],
    ["??", "a", false],
    ["?", "\u{1F600}", true],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "aXbYbZ", false],
    ["*a*", "bab", true],
    ["*?", "", false],
    ["[a].+", "[a].+", true],
    ["Report*", "report", false],
  ])("%s and %s: %s", (pattern, name, fits) => {
    expect(matchesGlob(pattern, name)).toBe(fits);
  });

  test("takes no longer for a pattern made to be slow", () => {
    expect(matchesGlob(`${"*a".repeat(120)}b`, "a".repeat(255))).toBe(false);
  });
});
