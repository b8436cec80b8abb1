import { describe, expect, test } from "vitest";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { snapshotConditions } from "./backup_progress.ts";
import { entry } from "./testing/backup_samples.ts";

describe("snapshotConditions()", () => {
  const GB = 1_000_000_000;
  test.each([
    [
      "all was read and nothing was new",
      { files: 9, filesUnchanged: 0, sizeBytes: GB, bytesNew: 5000 },
      true,
    ],
    ["all was read and some of it was new", { filesUnchanged: 0, sizeBytes: GB, bytesNew: GB / 50 }, false],
    ["one file was taken over", { filesUnchanged: 1, sizeBytes: GB, bytesNew: 0 }, false],
    ["there was next to nothing to read", { filesUnchanged: 0, sizeBytes: 1000, bytesNew: 0 }, false],
    ["the engine does not say what was new", { filesUnchanged: 0, sizeBytes: GB }, false],
    ["the engine does not say what was read", { sizeBytes: GB, bytesNew: 0 }, false],
    ["nothing is known", undefined, false],
  ])("tells of a volume that was read for nothing where %s", (_, stats, told) => {
    const found = snapshotConditions({ phase: "Succeeded", ...(stats ? { stats } : {}) });
    expect(found.some(({ type }) => type === CONDITIONS.everythingRead)).toBe(told);
  });

  test("says why the whole volume was read", () => {
    const stats = { files: 20_000, filesUnchanged: 0, sizeBytes: GB, bytesNew: 5000 };
    const found = snapshotConditions({ phase: "Succeeded", stats });
    expect(found.find(({ type }) => type === CONDITIONS.everythingRead)).toMatchObject({
      status: "True",
      reason: "NothingNew",
      message: expect.stringMatching(/^All 20000 files counted as changed .* reads the whole volume/),
    });
  });

  test("says what a snapshot lacks", () => {
    const snapshots = [entry("k1", { pvc: "home/data", incomplete: "nothing could be read: pgdata/" })];
    const found = snapshotConditions({ phase: "Succeeded", snapshots });
    expect(found.find(({ type }) => type === CONDITIONS.incomplete)).toMatchObject({
      reason: "SourceUnreadable",
      message: expect.stringContaining("home/data: nothing could be read: pgdata/"),
    });
  });

  test("says nothing of a Backup that has not succeeded", () => {
    expect(snapshotConditions({ phase: "Failed" })).toEqual([]);
  });
});
