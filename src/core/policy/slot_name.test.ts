import fc from "fast-check";
import { expect, test } from "vitest";
import { slotName } from "./slot_name.ts";

const SLOT = Date.UTC(2026, 4, 24, 2, 13);

test("slotName() is the schedule's name and the slot in UTC", () => {
  expect(slotName("postgres-data", SLOT)).toBe("postgres-data-20260524-021300");
});

test("a long or dotted name is shortened, and the time stays readable", () => {
  const long = slotName("a".repeat(253), SLOT);
  expect(long).toMatch(/^a{38}-[a-z0-9]{8}-20260524-021300$/);
  expect(slotName(`${"a".repeat(252)}b`, SLOT)).not.toBe(long);
  expect(slotName("a.b", SLOT)).toMatch(/^a-b-[a-z0-9]{8}-20260524-021300$/);
});

test("names are valid, and the same only for the same slot of the same schedule", () => {
  const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,80}[a-z0-9])?$/);
  const slot = fc.integer({ min: 0, max: 4_000_000 }).map((minutes) => minutes * 60_000);
  fc.assert(
    fc.property(name, slot, name, slot, (a, s, b, t) => {
      expect(slotName(a, s)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])$/);
      expect(slotName(a, s) === slotName(b, t)).toBe(a === b && s === t);
    }),
  );
});
