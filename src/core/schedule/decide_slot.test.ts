import { expect, test } from "vitest";

import { decideSlot } from "./decide_slot.ts";

const NOW = Date.parse("2026-05-24T12:00:00Z");
const HOUR = 3_600_000;
const text = "0 * * * * UTC";

test.each([
  [
    "nothing is due at first, whatever was missed",
    undefined,
    { memory: { after: NOW, cron: text }, next: NOW + HOUR },
  ],
  [
    "what was decided is not due again",
    { after: NOW, cron: text },
    { memory: { after: NOW, cron: text }, next: NOW + HOUR },
  ],
  [
    "of several that were missed the last one is due",
    { after: NOW - 5 * HOUR, cron: text },
    { memory: { after: NOW, cron: text }, due: NOW, next: NOW + HOUR },
  ],
  [
    "an edit at the minute it fires begins with the next time",
    { after: NOW - HOUR, cron: "30 * * * * UTC" },
    { memory: { after: NOW, cron: text }, next: NOW + HOUR },
  ],
  [
    "a clock that was ahead costs no time",
    { after: NOW + 9 * HOUR, cron: text },
    { memory: { after: NOW, cron: text }, next: NOW + HOUR },
  ],
])("decideSlot(): %s", (_, memory, decision) => {
  expect(decideSlot("nas", "0 * * * *", memory, NOW)).toEqual(decision);
});

test("decideSlot() says what is wrong with a schedule, and asks for nothing without one", () => {
  expect(decideSlot("nas", "often", undefined, NOW).problem).toMatch(/often.*five fields/);
  expect(decideSlot("nas", undefined, undefined, NOW)).toEqual({});
});
