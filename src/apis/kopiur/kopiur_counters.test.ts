import { describe, expect, test } from "vitest";
import { engineRoom } from "../../core/make_engine_room.ts";
import { SETTINGS } from "../../core/testing/samples.ts";
import { GROUP } from "../../kinds/kopiur/group.ts";
import { Informers } from "../../kube/cache/informers.ts";
import { Controller } from "../../kube/controller/controller.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import { Metrics } from "../../observe/metrics.ts";
import { type AdmissionInfo, noWatchObserver } from "../../observe/observers.ts";
import { kopiurControllers } from "./kopiur.ts";
import { kopiurCounters } from "./kopiur_counters.ts";

function stage() {
  const metrics = new Metrics();
  const lines = async (pattern: RegExp) =>
    (await metrics.text()).split("\n").filter((line) => pattern.test(line) && !line.startsWith("#"));
  return { ...kopiurCounters(metrics), lines };
}

describe("reconciles", () => {
  test("are counted by kind, errors by class; a conflict is none", async () => {
    const { reconciles, lines } = stage();
    reconciles.reconciled("kopiur-backup", "done", 20, "shop/a");
    reconciles.reconciled("kopiur-backup", "conflict", 20, "shop/a");
    reconciles.reconciled("kopiur-backup", "structural", 20, "shop/a");
    reconciles.reconciled("kopiur-retention", "requeued", 20, "shop/a");
    expect(await lines(/^kopiur_controller_reconcil.*total/)).toEqual([
      'kopiur_controller_reconciliations_total{kind="Backup"} 3',
      'kopiur_controller_reconciliations_total{kind="BackupConfig"} 1',
      'kopiur_controller_reconcile_errors_total{kind="Backup",class="structural"} 1',
    ]);
    expect(await lines(/^kopiur_controller_reconcile_duration_seconds_count/)).toEqual([
      'kopiur_controller_reconcile_duration_seconds_count{kind="Backup"} 3',
      'kopiur_controller_reconcile_duration_seconds_count{kind="BackupConfig"} 1',
    ]);
  });

  test("are counted of every controller of this API", async () => {
    const nowhere = {} as never;
    const ports = { client: nowhere, clock: new VirtualClock(0), random: seededRandom(1), log: silentLogger };
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const options = {
      ...ports,
      informers,
      logs: nowhere,
      storesIn: () => new Map(),
      connect: nowhere,
      settings: SETTINGS,
    };
    const parts = kopiurControllers(engineRoom(options).room, informers);
    const names = parts.filter((part) => part instanceof Controller).map(({ name }) => name);
    expect(names).toContain("kopiur-backup");
    for (const name of names) {
      const { reconciles, lines } = stage();
      reconciles.reconciled(name, "done", 20, "shop/a");
      expect(await lines(/^kopiur_controller_reconciliations_total/), name).toHaveLength(1);
    }
  });
});

describe("admission", () => {
  const answer = (webhook: string, verdict: AdmissionInfo["verdict"], resource = "backups") => ({
    webhook,
    verdict,
    resource: `${resource}.kopiur.home-operations.com`,
    operation: "CREATE",
    durationMs: 1,
  });

  test.each<[string, readonly AdmissionInfo[], readonly string[]]>([
    ["allowed", [answer("mutating", "allowed"), answer("validating", "allowed")], ["allowed"]],
    ["denied while it was completed", [answer("mutating", "denied")], ["denied"]],
    [
      "denied when it was checked",
      [answer("mutating", "allowed"), answer("validating", "denied")],
      ["denied"],
    ],
    ["let through unseen", [answer("validating", "passed")], ["allowed"]],
    ["not judged", [answer("mutating", "failed"), answer("validating", "failed")], ["failed"]],
    ["of something else", [answer("validating", "allowed", "others")], []],
  ])("counts a write once: %s", async (_, answers, decisions) => {
    const { admission, lines } = stage();
    for (const one of answers) admission.reviewed(one);
    expect(await lines(/^kopiur_webhook/)).toEqual(
      decisions.map((one) => `kopiur_webhook_admission_total{kind="Backup",decision="${one}"} 1`),
    );
  });
});

test("deletions and movers are counted, but not the movers of other APIs", async () => {
  const { deletions, runs, lines } = stage();
  deletions.snapshotsOrphaned("billing", 3);
  deletions.snapshotDeletionFailed("billing");
  const owner = { group: GROUP, kind: "Backup", name: "first" };
  const run = { namespace: "billing", name: "a", pod: "a-x", owner };
  const other = { ...run, owner: { ...owner, group: "backups.example.org" } };
  runs.runEnded({ operation: "snapshot", result: "succeeded", seconds: 90, run });
  runs.runEnded({ operation: "snapshot", result: "cancelled", run });
  runs.runEnded({ operation: "snapshot", result: "failed", run: other });
  expect(await lines(/^kopiur_\w+_(total|sum)/)).toEqual([
    'kopiur_orphaned_snapshots_total{namespace="billing"} 3',
    'kopiur_snapshot_deletion_failures_total{namespace="billing"} 1',
    'kopiur_mover_operations_total{operation="snapshot",result="succeeded"} 1',
    'kopiur_mover_operations_total{operation="snapshot",result="cancelled"} 1',
    'kopiur_mover_operation_duration_seconds_sum{operation="snapshot",result="succeeded"} 90',
  ]);
});
