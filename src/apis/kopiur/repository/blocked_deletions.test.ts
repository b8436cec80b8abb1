import { expect, test } from "vitest";
import { backup } from "../testing/samples.ts";
import { blockedDeletions } from "./repository_controller.ts";

test("what could not be deleted is listed with its Backup, and since when", () => {
  const failed = { type: "SnapshotDeletionFailed", status: "True", reason: "Unreachable" };
  const metadata = { deletionTimestamp: "2026-05-24T02:00:00Z" };
  const status = { snapshots: [{ kopiaSnapshotID: "k1" }], conditions: [failed] };
  expect(blockedDeletions(backup({ metadata, status }))).toEqual([
    { snapshotID: "k1", backup: "billing/first", since: "2026-05-24T02:00:00Z", reason: "Unreachable" },
  ]);
  expect(blockedDeletions(backup({ metadata, status: { ...status, conditions: [] } }))).toEqual([]);
});
