import { describe, expect, test } from "vitest";
import { deletionHasFailed, orphans } from "./delete_task.ts";

const status = (failed: "True" | "False", failures: number) => ({
  conditions: [{ type: "SnapshotDeletionFailed", status: failed, reason: "R", message: "m" }],
  work: {
    snapshot: { attempt: 9, step: "Work", failures: 9 },
    "delete-1": { attempt: 1, step: "Work", failures },
  },
});

describe("a deletion has failed", () => {
  test.each([
    ["when it is said for the first time", undefined, status("True", 0), true],
    ["when it is said again after a while", status("False", 0), status("True", 0), true],
    ["with each attempt that fails", status("True", 1), status("True", 2), true],
    ["but not again while the same failure is told", status("True", 1), status("True", 1), false],
    ["but not when none is told", undefined, status("False", 1), false],
  ])("%s", (_, before, after, expected) => {
    expect(deletionHasFailed(before, after)).toBe(expected);
  });
});

test("snapshots are orphaned by a decision that tells so, and by no other", () => {
  expect(orphans({ events: [{ type: "Warning", reason: "SnapshotOrphaned", message: "m" }] })).toBe(true);
  expect(orphans({ events: [{ type: "Normal", reason: "Succeeded", message: "m" }] })).toBe(false);
  expect(orphans({})).toBe(false);
});
