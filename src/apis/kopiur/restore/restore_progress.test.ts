import { expect, test } from "vitest";
import type { EndedTask } from "../../../core/work/task_decision.ts";
import { REPORT_VERSION } from "../../../wire/report.ts";
import { AT } from "../testing/samples.ts";
import { endOfRestore } from "./restore_progress.ts";

test.each([
  ["Cancelled", /^The restore was cancelled\./],
  ["Failed", /^The restore has failed\. Edit it to have it tried again/],
] as const)("a restore of which only the outcome %s is known says no more than that", (outcome, message) => {
  const stand = endOfRestore({ phase: "Ended", outcome, logTail: [], settled: false });
  expect(stand).toMatchObject({ state: "stalled", reason: outcome, message: expect.stringMatching(message) });
});

test("a restore that was done otherwise than asked says so when it has ended", () => {
  const result = { version: REPORT_VERSION, run: "r", startedAt: AT, endedAt: AT };
  const ended: EndedTask = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: true, result };
  expect(endOfRestore(ended)).toMatchObject({ message: "The data was restored.", warning: false });
  const warned = { ...ended, result: { ...result, warnings: ["It was written in place."] } };
  const message = "The data was restored. It was written in place.";
  expect(endOfRestore(warned)).toMatchObject({ state: "ready", message, warning: true });
});
