import { expect, test } from "vitest";
import { AT } from "../../../core/testing/samples.ts";
import { Metrics } from "../../../observe/metrics.ts";
import { maintenanceGauges } from "./maintenance_gauges.ts";
import { sampleMaintenance, scheduled } from "./testing/sample_maintenance.ts";

const cacheOf = (...values: readonly object[]) => ({ values: () => values }) as never;

test("nothing is due where another one maintains the stored repository", async () => {
  const conditions = [
    { type: "Ready", status: "False", reason: "SharedRepository", message: "m", lastTransitionTime: AT },
  ] as const;
  const metrics = new Metrics();
  const gauges = maintenanceGauges({
    maintenances: cacheOf(sampleMaintenance({ status: { conditions } })),
  });
  for (const gauge of gauges) metrics.gauge(gauge);
  expect(await metrics.text()).not.toContain("kopiur_maintenance_due_timestamp_seconds{");
});

test("what came of maintenance, is told at a scrape", async () => {
  const metrics = new Metrics();
  const gauges = maintenanceGauges({
    maintenances: cacheOf(
      sampleMaintenance({
        status: {
          full: { lastContentReclaimedBytes: 4096, lastSuccessAt: "2026-05-24T02:13:00Z" },
          lastCheck: { at: "2026-05-24T02:13:00Z", healthy: true },
        },
      }),
      sampleMaintenance({ metadata: { name: "fresh" }, spec: scheduled({ suspend: true }) }),
      sampleMaintenance({
        metadata: { name: "bad" },
        spec: scheduled({ suspend: true }),
        status: {
          lastCheck: { at: "2026-05-24T02:13:00Z", healthy: false, missing: { packs: 2, snapshots: 7 } },
        },
      }),
    ),
  });
  for (const gauge of gauges) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  expect(lines).toEqual([
    'kopiur_maintenance_last_success_timestamp_seconds{namespace="billing",name="nas",mode="full"} 1779588780',
    `kopiur_maintenance_due_timestamp_seconds{namespace="billing",name="nas",mode="quick"} ${Date.parse("2026-05-24T06:00:00Z") / 1000}`,
    `kopiur_maintenance_due_timestamp_seconds{namespace="billing",name="nas",mode="full"} ${Date.parse("2026-05-24T03:00:00Z") / 1000}`,
    'kopiur_maintenance_check_healthy{namespace="billing",name="nas"} 1',
    'kopiur_maintenance_check_healthy{namespace="billing",name="bad"} 0',
    'kopiur_maintenance_check_missing_packs{namespace="billing",name="nas"} 0',
    'kopiur_maintenance_check_missing_packs{namespace="billing",name="bad"} 2',
    'kopiur_maintenance_check_hit_snapshots{namespace="billing",name="nas"} 0',
    'kopiur_maintenance_check_hit_snapshots{namespace="billing",name="bad"} 7',
    'kopiur_maintenance_last_reclaimed_bytes{namespace="billing",name="nas"} 4096',
  ]);
});
