import { expect, test } from "vitest";
import { dueRun } from "./due_run.ts";
import type { ScheduleState } from "./schedule_object.ts";
import { schedule } from "./testing/samples.ts";

const HOUR = 3_600_000;
const WEEKDAYS = { cron: "0 2 * * 1-5" };
const plan = (succeededAt?: string, createdAt = "2026-05-24T00:00:00Z") => ({ createdAt, succeededAt });
const nightly = (more: object = {}, status: ScheduleState = {}) =>
  schedule({ spec: { schedule: { cron: "0 2 * * *", ...more } }, status });

/** Made on Sunday 2026-05-24 at midnight. */
test.each([
  ["the first run after the last success", nightly(), "2026-05-25T02:07:00Z", "2026-05-26T02:00:00Z", 24],
  ["the first run of all, where none succeeded", nightly(), undefined, "2026-05-24T02:00:00Z", 24],
  [
    "no run from before the schedule, however old the success",
    nightly(),
    "2026-01-01T00:00:00Z",
    "2026-05-24T02:00:00Z",
    24,
  ],
  ["the run at its creation", nightly({ runOnCreate: true }), undefined, "2026-05-24T00:00:00Z", 2],
  [
    "but not once that has succeeded",
    nightly({ runOnCreate: true }),
    "2026-05-24T00:05:00Z",
    "2026-05-24T02:00:00Z",
    24,
  ],
  ["the gap that follows it", nightly(WEEKDAYS), "2026-05-28T02:05:00Z", "2026-05-29T02:00:00Z", 72],
  [
    "no run that a suspension left out",
    nightly({}, { lastSkippedSchedule: { reason: "Suspended", at: "2026-06-10T02:00:00Z", count: 9 } }),
    "2026-06-01T02:05:00Z",
    "2026-06-11T02:00:00Z",
    24,
  ],
  [
    "one that was left out for another reason",
    nightly({}, { lastSkippedSchedule: { reason: "StillRunning", at: "2026-06-10T02:00:00Z" } }),
    "2026-06-01T02:05:00Z",
    "2026-06-02T02:00:00Z",
    24,
  ],
  [
    "no run by an expression from before it was given",
    nightly({}, { decidedUntil: "2026-06-10T12:34:56Z" }),
    "2026-06-01T02:05:00Z",
    "2026-06-11T02:00:00Z",
    24,
  ],
  [
    "one that was decided, and brought nothing",
    nightly({}, { decidedUntil: "2026-06-10T02:00:00Z" }),
    "2026-06-01T02:05:00Z",
    "2026-06-02T02:00:00Z",
    24,
  ],
])("what is due is %s", (_, one, succeeded, at, hours) => {
  expect(dueRun(one, plan(succeeded))).toEqual({ at: Date.parse(at), interval: hours * HOUR });
});

test("no run is due from before there was anything to run", () => {
  const late = plan(undefined, "2026-06-10T12:00:00Z");
  expect(dueRun(nightly({ runOnCreate: true }), late)?.at).toBe(Date.parse("2026-06-11T02:00:00Z"));
});

test("a run is due when its jitter ends", () => {
  const at = dueRun(nightly({ jitter: "1h" }), plan())?.at ?? 0;
  expect(at).toBeGreaterThan(Date.parse("2026-05-24T02:00:00Z"));
  expect(at).toBeLessThan(Date.parse("2026-05-24T03:00:00Z"));
});

test("nothing is due of a schedule that is suspended, or that nobody understands", () => {
  expect(dueRun(nightly({ suspend: true }), plan())).toBeUndefined();
  expect(dueRun(nightly({ cron: "99 * * * *" }), plan())).toBeUndefined();
});
