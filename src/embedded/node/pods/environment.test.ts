import fc from "fast-check";
import { expect, test } from "vitest";
import { expand } from "./environment.ts";

test.each([
  ["plain", "plain"],
  ["$(A)", "a"],
  ["x$(A)y$(B)z", "xayz"],
  ["$(NONE)", "$(NONE)"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$a"],
  ["cost: 5$", "cost: 5$"],
  ["$(", "$("],
  ["$A", "$A"],
  ["$$", "$"],
  ["$(toString)", "$(toString)"],
])("%j becomes %j", (text, expected) => {
  expect(expand(text, { A: "a", B: "" })).toBe(expected);
});

test("what holds no dollar stays as it is, and values are not expanded again", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, value) => {
      const plain = text.replaceAll("$", "");
      expect(expand(plain, { A: value })).toBe(plain);
      expect(expand(`${plain}$(A)`, { A: value })).toBe(plain + value);
    }),
  );
});
