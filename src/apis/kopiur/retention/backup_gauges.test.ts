import { expect, test } from "vitest";
import { Metrics } from "../../../observe/metrics.ts";
import { config } from "../testing/samples.ts";
import { backupGauges } from "./backup_gauges.ts";

test("when recipes last succeeded, and how often they failed since, is told at a scrape", async () => {
  const status = {
    lastSuccessfulBackup: { name: "first", at: "2026-05-24T02:13:00Z" },
    consecutiveFailures: 2,
  };
  const configs = [config({ status }), config({ metadata: { name: "new" } })];
  const metrics = new Metrics();
  for (const gauge of backupGauges({ configs: { values: () => configs } as never })) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  expect(lines).toEqual([
    'kopiur_backup_last_success_timestamp_seconds{namespace="billing",name="data"} 1779588780',
    'kopiur_backup_consecutive_failures{namespace="billing",name="data"} 2',
  ]);
});
