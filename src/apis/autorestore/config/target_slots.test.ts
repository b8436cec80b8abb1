import { expect, test } from "vitest";
import { sampleTarget } from "../testing/samples.ts";
import { backupCron } from "./target_slots.ts";

test("a schedule has two names", () => {
  expect(backupCron(sampleTarget("a", { schedule: "0 1 * * *" }))).toBe("0 1 * * *");
  expect(backupCron(sampleTarget("a", { backupSchedule: "0 2 * * *" }))).toBe("0 2 * * *");
});
