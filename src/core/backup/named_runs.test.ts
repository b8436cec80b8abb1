import { describe, expect, test } from "vitest";
import { AT } from "../testing/samples.ts";
import type { BackupObject } from "./backup.ts";
import { namedRuns } from "./named_runs.ts";
import { backup, entry, PLAN } from "./testing/backup_samples.ts";

const plan = PLAN;

/** A Backup that ended in this hour, with a snapshot of each run. */
function ended(
  hour: string,
  runs: readonly string[],
  status: object = {},
  deletionTimestamp?: string,
): BackupObject {
  return backup({
    metadata: { name: `at-${hour}`, ...(deletionTimestamp ? { deletionTimestamp } : {}) },
    status: {
      phase: "Succeeded",
      plan,
      timing: { endTime: `2026-05-24T${hour}:00:00Z` },
      snapshots: runs.map((runID) => entry(`k-${runID}`, { runID })),
      ...status,
    },
  });
}

describe("namedRuns()", () => {
  const older = ended("01", ["run-1"]);

  test("are those of the newest Backup that has snapshots, each once", () => {
    const newer = ended("02", ["run-2", "run-2", "run-0"]);
    expect(namedRuns([newer, older], plan)).toEqual(["run-2", "run-0"]);
    expect(namedRuns([older, newer], plan)).toEqual(["run-2", "run-0"]);
    expect(namedRuns([], plan)).toEqual([]);
  });

  test.each<[string, BackupObject]>([
    ["goes", ended("02", ["run-2"], {}, AT)],
    ["left something, and names nothing", ended("02", [], { phase: "Failed" })],
    [
      "is of the repository that was there before",
      ended("02", ["run-2"], { plan: { ...plan, repository: { ...plan.repository, uniqueID: "id-0" } } }),
    ],
  ])("are none of a Backup that %s", (_, newer) => {
    expect(namedRuns([older, newer], plan)).toEqual(["run-1"]);
  });

  test("are none of another identity", () => {
    expect(namedRuns([older], { ...plan, identity: { username: "data", hostname: "shop" } })).toEqual([]);
  });
});
