import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedMessage, MAX_MESSAGE } from "./message.ts";

test("boundedMessage() leaves a message alone that fits", () => {
  const text = "x".repeat(MAX_MESSAGE);
  expect(boundedMessage(text)).toBe(text);
});

test("boundedMessage() ends a longer one with an ellipsis", () => {
  expect(boundedMessage("x".repeat(MAX_MESSAGE + 1))).toBe(`${"x".repeat(MAX_MESSAGE - 3)}…`);
});

test("boundedMessage() never cuts a character in two, and always fits", () => {
  fc.assert(
    fc.property(fc.nat(3), fc.constantFrom("é", "€", "🦀"), (shift, character) => {
      const text = "a".repeat(shift) + character.repeat(1024);
      const cut = boundedMessage(text);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MAX_MESSAGE);
      expect(cut.endsWith("…")).toBe(true);
      expect(text.startsWith(cut.slice(0, -1))).toBe(true);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(MAX_MESSAGE - 4);
    }),
  );
});
