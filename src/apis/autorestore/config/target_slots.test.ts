import { expect, test } from "vitest";
import { NOW, sampleConfig, sampleTarget } from "../testing/samples.ts";
import { backupCron, decideSlot } from "./target_slots.ts";

const config = sampleConfig();
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
  expect(decideSlot(config, "nas", "0 * * * *", memory, NOW)).toEqual(decision);
});

test("decideSlot() says what is wrong with a schedule, and asks for nothing without one", () => {
  expect(decideSlot(config, "nas", "often", undefined, NOW).problem).toMatch(/often.*five fields/);
  expect(decideSlot(config, "nas", undefined, undefined, NOW)).toEqual({});
});

test("a schedule has two names", () => {
  expect(backupCron(sampleTarget("a", { schedule: "0 1 * * *" }))).toBe("0 1 * * *");
  expect(backupCron(sampleTarget("a", { backupSchedule: "0 2 * * *" }))).toBe("0 2 * * *");
});
