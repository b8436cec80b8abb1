import { expect, test } from "vitest";
import { MEMORY } from "./maintenance_run.ts";
import { runDueAt } from "./run_due_at.ts";
import { sampleMaintenance, scheduled, takingOver } from "./testing/sample_maintenance.ts";

const succeeded = (at: string) => ({ lastSuccessAt: at });
const resumed = (at: string) => ({
  work: { [MEMORY]: { marks: {}, suspended: false, resumedAt: Date.parse(at) } },
});
const FRIDAY = "2026-05-22T06:00:10Z";
const SUNDAY = "2026-05-24T11:59:00Z";

test.each([
  ["quick", "the first since it was made", {}, "2026-05-22T06:00:00Z"],
  ["full", "the first since it was made", {}, "2026-05-24T03:00:00Z"],
  ["quick", "the first since one succeeded", { quick: succeeded(FRIDAY) }, "2026-05-22T12:00:00Z"],
  ["quick", "the first since a full one succeeded", { full: succeeded(SUNDAY) }, "2026-05-24T12:00:00Z"],
  [
    "full",
    "the first since a full one, whatever the quick ones",
    { quick: succeeded(SUNDAY) },
    "2026-05-24T03:00:00Z",
  ],
  [
    "quick",
    "the first since a suspension ended",
    { quick: succeeded(FRIDAY), ...resumed(SUNDAY) },
    "2026-05-24T12:00:00Z",
  ],
  [
    "quick",
    "the first since one succeeded, though later ones failed",
    { quick: { ...succeeded(FRIDAY), lastRunAt: "2026-05-22T12:00:00Z", consecutiveFailures: 1 } },
    "2026-05-22T12:00:00Z",
  ],
  [
    "quick",
    "no later for a success that ended after a run that followed it, by a clock that was ahead",
    { quick: { ...succeeded("2027-05-22T06:00:10Z"), lastRunAt: FRIDAY, consecutiveFailures: 1 } },
    "2026-05-22T06:00:00Z",
  ],
] as const)("of %s runs, what is due is %s", (which, _, status, at) => {
  expect(runDueAt(sampleMaintenance({ status }), which)).toBe(Date.parse(at));
});

test("nothing is due while it is suspended, or where it is left to somebody else", () => {
  const theirs = { ownership: { owner: "here/theirs" } };
  const due = (sample: Parameters<typeof sampleMaintenance>[0]) =>
    runDueAt(sampleMaintenance(sample), "quick");
  expect(due({ spec: scheduled({ suspend: true }) })).toBeUndefined();
  expect(due({ spec: takingOver("Never"), status: theirs })).toBeUndefined();
  expect(due({ status: theirs })).toBeDefined();
});
