import { describe, expect, test } from "vitest";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { AT, backup, config } from "../testing/samples.ts";
import type { Frozen } from "./frozen.ts";
import { namedRuns } from "./named_runs.ts";

const { policy, failurePolicy } = config().spec;
const repository = { kind: "Repository", name: "nas", namespace: "billing", uniqueID: "id-1" } as const;
const frozen: Frozen = {
  repository,
  engine: "kopia",
  deletionPolicy: "Delete",
  sources: [{ pvc: "billing/data", sourcePath: "/data" }],
  identity: { username: "data", hostname: "billing" },
  recipe: { policy, failurePolicy },
};

/** A Backup that ended in this hour, with a snapshot of each run. */
function ended(
  hour: string,
  runs: readonly string[],
  status: object = {},
  deletionTimestamp?: string,
): Backup {
  const identity = { username: "data", hostname: "billing", sourcePath: "/data" };
  return backup({
    metadata: { name: `at-${hour}`, ...(deletionTimestamp ? { deletionTimestamp } : {}) },
    status: {
      phase: "Succeeded",
      resolved: { repository },
      timing: { endTime: `2026-05-24T${hour}:00:00Z` },
      snapshots: runs.map((runID) => ({ kopiaSnapshotID: `k-${runID}`, runID, identity })),
      ...status,
    },
  });
}

describe("namedRuns()", () => {
  const older = ended("01", ["run-1"]);

  test("are those of the newest Backup that has snapshots, each once", () => {
    const newer = ended("02", ["run-2", "run-2", "run-0"]);
    expect(namedRuns([newer, older], frozen)).toEqual(["run-2", "run-0"]);
    expect(namedRuns([older, newer], frozen)).toEqual(["run-2", "run-0"]);
    expect(namedRuns([], frozen)).toEqual([]);
  });

  test.each<[string, Backup]>([
    ["goes", ended("02", ["run-2"], {}, AT)],
    ["left something, and names nothing", ended("02", [], { phase: "Failed" })],
    [
      "lost its snapshot",
      ended("02", ["run-2"], { conditions: [{ type: "SnapshotMissing", status: "True" }] }),
    ],
    [
      "is of the repository that was there before",
      ended("02", ["run-2"], { resolved: { repository: { ...repository, uniqueID: "id-0" } } }),
    ],
  ])("are none of a Backup that %s", (_, newer) => {
    expect(namedRuns([older, newer], frozen)).toEqual(["run-1"]);
  });

  test("are none of another identity", () => {
    expect(namedRuns([older], { ...frozen, identity: { username: "data", hostname: "shop" } })).toEqual([]);
  });
});
