import { expect, test } from "vitest";
import type { ResolvedBackup } from "../../../kinds/kopiur/parts.ts";
import { backup, config } from "../testing/samples.ts";
import { keptRuns } from "./observe_backup.ts";
import { planOf, settingsOfConfig } from "./plan.ts";

const identity = { username: "data", hostname: "billing" };
const resolved: ResolvedBackup = {
  repository: { kind: "Repository", name: "nas", namespace: "billing", uniqueID: "id-1" },
  engine: "kopia",
  deletionPolicy: "Delete",
  sources: [],
  identity,
  settings: { ...settingsOfConfig(config().spec) },
};

/** A Backup that ended in this hour, with a snapshot of this run. */
const ended = (hour: string, runID: string, conditions: readonly object[] = []) =>
  backup({
    metadata: { name: `at-${hour}` },
    status: {
      phase: "Succeeded",
      resolved,
      timing: { endTime: `2026-05-24T${hour}:00:00Z` },
      snapshots: [
        { kopiaSnapshotID: `k-${runID}`, runID, identity: { ...identity, sourcePath: "/pvc/data" } },
      ],
      conditions,
    },
  });

test("a run may refer to the newest Backup's snapshots, unless they may be lost", () => {
  const plan = planOf({ resolved });
  if (!plan) throw new Error("there is no plan");
  const older = ended("01", "run-1");
  expect(keptRuns([older, ended("02", "run-2")], plan)).toEqual(["run-2"]);
  const lost = ended("02", "run-2", [{ type: "SnapshotMissing", status: "True" }]);
  expect(keptRuns([older, lost], plan)).toEqual(["run-1"]);
});
