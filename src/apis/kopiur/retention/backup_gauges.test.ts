import { expect, test } from "vitest";
import { AT } from "../../../core/testing/samples.ts";
import { Metrics } from "../../../observe/metrics.ts";
import { backup, config } from "../testing/samples.ts";
import { backupGauges } from "./backup_gauges.ts";

test("how the backups of BackupConfigs go, and how large the newest is, is told at a scrape", async () => {
  const success = (name: string) => ({ lastSuccessfulBackup: { name, at: "2026-05-24T02:13:00Z" } });
  const pausing = (status: string, reason: string) => ({
    conditions: [{ type: "PruningPaused", status, reason, message: "m", lastTransitionTime: AT }],
  });
  const configs = [
    config({ status: { ...success("first"), consecutiveFailures: 2, ...pausing("True", "SourceShrank") } }),
    config({ metadata: { name: "gone" }, status: { ...success("deleted"), ...pausing("False", "Pruning") } }),
    config({ metadata: { name: "new" } }),
  ];
  const first = backup({
    status: {
      stats: { sizeBytes: 4096, files: 3 },
      timing: { durationSeconds: 42 },
      snapshots: [{ incomplete: "1 folder could not be read" }, {}],
    },
  });
  const backups = { get: (key: string) => (key === "billing/first" ? first : undefined) };
  const metrics = new Metrics();
  for (const gauge of backupGauges({
    configs: { values: () => configs } as never,
    backups: backups as never,
  }))
    metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  expect(lines).toEqual([
    'kopiur_backup_last_success_timestamp_seconds{namespace="billing",name="data"} 1779588780',
    'kopiur_backup_last_success_timestamp_seconds{namespace="billing",name="gone"} 1779588780',
    'kopiur_backup_consecutive_failures{namespace="billing",name="data"} 2',
    'kopiur_backup_size_bytes{namespace="billing",name="data"} 4096',
    'kopiur_backup_files{namespace="billing",name="data"} 3',
    'kopiur_backup_duration_seconds{namespace="billing",name="data"} 42',
    'kopiur_backup_incomplete_volumes{namespace="billing",name="data"} 1',
    'kopiur_backup_pruning_paused{namespace="billing",name="data",reason="SourceShrank"} 1',
  ]);
});
