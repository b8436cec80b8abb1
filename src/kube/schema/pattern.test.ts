import { expect, test } from "vitest";
import { compilePattern, patternTrouble } from "./pattern.ts";

test("compilePattern() reads flags at the start, as RE2 does", () => {
  expect(compilePattern("(?i)^ab$")?.test("AB")).toBe(true);
  expect(compilePattern("(?s)^a.b$")?.test("a\nb")).toBe(true);
});

test("compilePattern() takes escapes that RE2 takes", () => {
  expect(compilePattern("^a\\-b$")?.test("a-b")).toBe(true);
});

test("compilePattern() gives nothing for what is no pattern", () => {
  expect(compilePattern("(")).toBeUndefined();
});

test.each(["^[a-z]{1,1000}$", "\\\\d+", "(?:a|b)"])("patternTrouble() has nothing against %s", (pattern) => {
  expect(patternTrouble(pattern)).toBeUndefined();
});
