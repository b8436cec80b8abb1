import { expect, test } from "vitest";
import { Metrics } from "../../../observe/metrics.ts";
import { backup, config } from "../testing/samples.ts";
import { volumeGauges } from "./backup_gauges.ts";

test("when each volume was last backed up, and how large it was, is told at a scrape", async () => {
  const success = (name: string) => ({ lastSuccessfulBackup: { name, at: "2026-05-24T02:13:00Z" } });
  const configs = [
    config({ status: success("first") }),
    config({ metadata: { name: "gone" }, status: success("deleted") }),
    config({ metadata: { name: "new" } }),
  ];
  const entry = (pvc: string, sourcePath: string, sizeBytes: number) => ({
    kopiaSnapshotID: "k1",
    identity: { username: "data", hostname: "billing", sourcePath },
    pvc,
    sizeBytes,
  });
  const first = backup({
    status: {
      snapshots: [
        entry("billing/data", "/pvc/data", 4096),
        entry("billing/data", "/again", 4096),
        entry("billing/logs", "/pvc/logs", 7),
      ],
    },
  });
  const backups = { get: (key: string) => (key === "billing/first" ? first : undefined) };
  const metrics = new Metrics();
  for (const gauge of volumeGauges({
    configs: { values: () => configs } as never,
    backups: backups as never,
  }))
    metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  const of = (pvc: string) => `{pvc="${pvc}",pvc_namespace="billing",backup_config="data",repository="nas"}`;
  expect(lines).toEqual([
    `kopiur_volume_last_success_timestamp_seconds${of("data")} 1779588780`,
    `kopiur_volume_last_success_timestamp_seconds${of("logs")} 1779588780`,
    `kopiur_volume_size_bytes${of("data")} 4096`,
    `kopiur_volume_size_bytes${of("logs")} 7`,
  ]);
});
