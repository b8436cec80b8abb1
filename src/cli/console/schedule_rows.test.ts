import { expect, test } from "vitest";
import { scheduleOf } from "../testing/cli_samples.ts";
import { nextRuns, otherRuns } from "./schedule_rows.ts";

const NOW = Date.parse("2026-05-24T12:00:00Z");

test("the next ten runs are those of cron in its zone", () => {
  const schedule = scheduleOf("documents", { cron: "0 3 * * *", timezone: "Europe/Berlin" });
  const runs = nextRuns(schedule, NOW);
  expect(runs).toHaveLength(10);
  expect(runs.slice(0, 2)).toEqual(["2026-05-25T01:00:00Z", "2026-05-26T01:00:00Z"]);
});

test("a run that its jitter delays is still to come", () => {
  const schedule = scheduleOf("documents", { cron: "0 * * * *", timezone: "UTC", jitter: "59m" });
  const [first = "", second = ""] = nextRuns(schedule, NOW);
  const [at, then] = [Date.parse(first), Date.parse(second)];
  expect(at).toBeGreaterThan(NOW);
  expect(then - NOW).toBeLessThan(3 * 3_600_000);
  // Of the slot at 11 o'clock or at 12: whichever is due first.
  const before = nextRuns(schedule, NOW - 3_600_000);
  expect(before).toContain(first);
});

test("a cron that cannot be read runs never", () => {
  expect(nextRuns(scheduleOf("documents", { cron: "never", timezone: "UTC" }), NOW)).toEqual([]);
});

test.each([
  [
    "in its zone",
    { cron: "0 3 * * *", zone: "Europe/Berlin" },
    "2026-05-25T01:00:00Z",
    "2026-05-26T01:00:00Z",
  ],
  ["in UTC where it names none", { cron: "0 3 * * *" }, "2026-05-25T03:00:00Z", "2026-05-26T03:00:00Z"],
  [
    "after what its object says is next",
    { cron: "0 3 * * *", zone: "UTC", nextRun: "2026-05-25T03:20:00Z" },
    "2026-05-25T03:20:00Z",
    "2026-05-26T03:00:00Z",
  ],
  [
    "from now on where that has passed",
    { cron: "0 3 * * *", nextRun: "2026-05-24T03:00:00Z" },
    "2026-05-25T03:00:00Z",
    "2026-05-26T03:00:00Z",
  ],
])("another API's schedule runs %s", (_, view, first, second) => {
  const runs = otherRuns(view, NOW);
  expect(runs).toHaveLength(10);
  expect(runs.slice(0, 2)).toEqual([first, second]);
});

test("of a cron that stands for a value of its own, what its object says is all that is known", () => {
  const nextRun = "2026-05-25T03:20:00Z";
  expect(otherRuns({ cron: "H 3 * * *", nextRun }, NOW)).toEqual([nextRun]);
  expect(otherRuns({ cron: "H 3 * * *" }, NOW)).toEqual([]);
});
