import { expect, test } from "vitest";
import { blocked, refused, waits } from "./problem.ts";
import { newsOf, readyStateOf, wakeFor } from "./ready_state.ts";

const NOW = 1_000_000;

test.each([
  ["waits", waits("NotThere", "m"), { state: "reconciling", warning: false }, NOW + 30_000],
  ["is blocked", blocked("NotThere", "m"), { state: "reconciling", warning: true }, NOW + 300_000],
  ["is refused", refused("NotThere", "m"), { state: "stalled" }, undefined],
])("what %s stands so, and is looked at again then", (_, problem, readyState, wake) => {
  expect(readyStateOf(problem)).toEqual({ reason: "NotThere", message: "m", ...readyState });
  expect(wakeFor(problem, NOW)).toBe(wake);
});

test("newsOf() tells a change once, loudly where it is bad", () => {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const present = {
    type: "Ready",
    status: "False",
    reason: "Waits",
    message: "m",
    lastTransitionTime,
  } as const;
  const object = { status: { conditions: [present] } };
  expect(newsOf(object, { state: "reconciling", reason: "Waits", message: "m" })).toEqual([]);
  expect(newsOf(object, { state: "ready", reason: "Done", message: "m" })).toEqual([
    { type: "Normal", reason: "Done", message: "m" },
  ]);
  expect(newsOf({}, { state: "stalled", reason: "Bad", message: "m" })).toMatchObject([{ type: "Warning" }]);
  expect(newsOf({}, { state: "reconciling", reason: "Bad", message: "m", warning: true })).toMatchObject([
    { type: "Warning" },
  ]);
});

test("newsOf() is silent about what waits for its turn, and tells what comes after", () => {
  expect(newsOf({}, { state: "reconciling", reason: "Queued", message: "m" })).toEqual([]);
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const queued = {
    type: "Ready",
    status: "False",
    reason: "Queued",
    message: "m",
    lastTransitionTime,
  } as const;
  expect(
    newsOf({ status: { conditions: [queued] } }, { state: "reconciling", reason: "Running", message: "n" }),
  ).toMatchObject([{ reason: "Running" }]);
});
