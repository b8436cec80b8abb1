import { describe, expect, test } from "vitest";
import { backup } from "../testing/samples.ts";
import { deletionHasFailed, orphanedBy } from "./deletion_news.ts";

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

describe("snapshots are orphaned", () => {
  const kept = backup({ status: { snapshots: [{ kopiaSnapshotID: "k1" }, { kopiaSnapshotID: "k2" }] } });
  const events = [{ type: "Warning", reason: "SnapshotOrphaned", message: "m" }] as const;

  test("as many as the Backup names, when it is told that they stay", () => {
    expect(orphanedBy(kept, { intents: [], events })).toBe(2);
  });

  test("but none that another Backup stands for", () => {
    const backupRef = { namespace: "shop", name: "other" };
    const delegated = backup({ status: { ...kept.status, backupRef } });
    expect(orphanedBy(delegated, { intents: [], events })).toBe(0);
  });

  test("but none by any other decision, nor by a Backup without snapshots", () => {
    expect(orphanedBy(kept, { intents: [] })).toBe(0);
    expect(orphanedBy(backup(), { intents: [], events })).toBe(0);
  });
});
