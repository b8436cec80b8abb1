import { expect, test } from "vitest";
import { backup, restore } from "../testing/samples.ts";
import { neededNames } from "./needed_backups.ts";

const identity = { username: "data", hostname: "billing", sourcePath: "/pvc/data" };
const backups = ["named", "chosen", "from-afar", "by-snapshot", "their-own", "done", "over", "idle"].map(
  (name) =>
    backup({ metadata: { name }, status: { snapshots: [{ kopiaSnapshotID: `k-${name}`, identity }] } }),
);

test("neededNames() are also those that claims are filled from, each for itself, whatever became of the others", () => {
  const claims = {
    one: { resolved: { snapshotID: "k-named" } },
    two: { resolved: { backupRef: { name: "chosen" } } },
    three: { resolved: { snapshotID: "k-done" }, filled: true },
    four: { failed: { edition: "1", reason: "Corrupt" } },
  };
  const status = { phase: "Failed", resolved: { snapshotID: "k-over" }, work: { claims } };
  expect([...neededNames(backups, [restore({ status })])]).toEqual(["named", "chosen"]);
});

test("neededNames() are those that unfinished restores name or have chosen, wherever these are", () => {
  const fromConfig = { source: { fromConfig: { name: "data", offset: 0 } } };
  const restores = [
    restore({ spec: { source: { backupRef: { name: "named" } } } }),
    restore({
      spec: fromConfig,
      status: { phase: "Restoring", resolved: { backupRef: { name: "chosen" } } },
    }),
    restore({ spec: fromConfig, status: { phase: "Restoring", resolved: { snapshotID: "k-by-snapshot" } } }),
    restore({
      metadata: { namespace: "elsewhere" },
      spec: { source: { backupRef: { name: "from-afar", namespace: "billing" } } },
    }),
    restore({ metadata: { namespace: "elsewhere" }, spec: { source: { backupRef: { name: "their-own" } } } }),
    restore({ spec: { source: { backupRef: { name: "done" } } }, status: { phase: "Completed" } }),
    restore({ spec: { source: { backupRef: { name: "over" } } }, status: { phase: "Failed" } }),
  ];
  expect([...neededNames(backups, restores)]).toEqual(["named", "chosen", "from-afar", "by-snapshot"]);
});

test("neededNames() are also those whose snapshot a restore knows by another ID", () => {
  const made = (name: string, snapshot: object) =>
    backup({ metadata: { name }, status: { snapshots: [{ kopiaSnapshotID: "k1", identity, ...snapshot }] } });
  const all = [
    made("same", { runID: "run-1" }),
    made("other-run", { runID: "run-2" }),
    made("other-volume", { runID: "run-1", identity: { ...identity, sourcePath: "/pvc/more" } }),
    made("unknown", {}),
  ];
  const resolved = { snapshotID: "k2", runID: "run-1", identity };
  const source = { fromConfig: { name: "data", offset: 0 } };
  const reading = restore({ spec: { source }, status: { phase: "Restoring", resolved } });
  expect([...neededNames(all, [reading])]).toEqual(["same"]);
});
