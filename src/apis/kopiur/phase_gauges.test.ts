import { expect, test } from "vitest";
import { AT } from "../../core/testing/samples.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { Metrics } from "../../observe/metrics.ts";
import type { KopiurCaches } from "./caches.ts";
import { sampleMaintenance } from "./maintenance/testing/sample_maintenance.ts";
import { phaseGauges } from "./phase_gauges.ts";
import { backup, clusterRepository, config, readyNas, restore, schedule } from "./testing/samples.ts";

const cacheOf = (...values: readonly object[]) => ({ values: () => values });
const named = (name: string, phase: string) => backup({ metadata: { name }, status: { phase } });

async function scrape(caches: object) {
  const metrics = new Metrics();
  for (const gauge of phaseGauges(caches as KopiurCaches)) metrics.gauge(gauge);
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
}

test("the phase of every object is told, but not of Backups at rest", async () => {
  const caches = {
    repositories: cacheOf(readyNas()),
    clusterRepositories: cacheOf(clusterRepository({ status: { phase: "Degraded" } })),
    configs: cacheOf(config()),
    schedules: cacheOf(schedule({ status: { phase: "Active" } })),
    backups: cacheOf(
      ...["Running", "Succeeded", "Discovered", "Failed"].map((phase) => named(phase.toLowerCase(), phase)),
    ),
    restores: cacheOf(restore({ status: { phase: "Failed" } })),
    maintenances: cacheOf(),
  };
  expect(await scrape(caches)).toEqual([
    'kopiur_resource_phase{kind="Repository",namespace="billing",name="nas",phase="Ready"} 1',
    'kopiur_resource_phase{kind="ClusterRepository",namespace="",name="shared",phase="Degraded"} 1',
    'kopiur_resource_phase{kind="BackupSchedule",namespace="billing",name="nightly",phase="Active"} 1',
    'kopiur_resource_phase{kind="Backup",namespace="billing",name="running",phase="Running"} 1',
    'kopiur_resource_phase{kind="Backup",namespace="billing",name="failed",phase="Failed"} 1',
    'kopiur_resource_phase{kind="Restore",namespace="billing",name="again",phase="Failed"} 1',
  ]);
});

test("why an object is not ready is told, once, but not of Backups at rest", async () => {
  const because = (reason: string, status: Condition["status"] = "False"): Condition => ({
    type: "Ready",
    status,
    reason,
    message: "m",
    lastTransitionTime: AT,
  });
  const stalled = { ...because("InvalidTimezone", "True"), type: "Stalled" };
  const of = (reason: string) => ({ conditions: [because(reason)] });
  const caches = {
    repositories: cacheOf(readyNas({ status: { conditions: [because("Connected", "True")] } })),
    clusterRepositories: cacheOf(clusterRepository({ status: of("WrongPassword") })),
    configs: cacheOf(config({ status: { conditions: [because("InvalidTimezone"), stalled] } })),
    schedules: cacheOf(schedule({ status: { conditions: [stalled] } })),
    backups: cacheOf(
      ...["Running", "Succeeded", "Discovered", "Failed"].map((phase) =>
        backup({ metadata: { name: phase.toLowerCase() }, status: { phase, ...of("SourceUnreadable") } }),
      ),
    ),
    restores: cacheOf(restore()),
    maintenances: cacheOf(sampleMaintenance({ status: of("OwnedByAnother") })),
  };
  const lines = (await scrape(caches)).filter((line) => line.startsWith("kopiur_resource_not_ready"));
  expect(lines).toEqual([
    'kopiur_resource_not_ready{kind="ClusterRepository",namespace="",name="shared",reason="WrongPassword"} 1',
    'kopiur_resource_not_ready{kind="BackupConfig",namespace="billing",name="data",reason="InvalidTimezone"} 1',
    'kopiur_resource_not_ready{kind="BackupSchedule",namespace="billing",name="nightly",reason="InvalidTimezone"} 1',
    'kopiur_resource_not_ready{kind="Backup",namespace="billing",name="running",reason="SourceUnreadable"} 1',
    'kopiur_resource_not_ready{kind="Backup",namespace="billing",name="failed",reason="SourceUnreadable"} 1',
    'kopiur_resource_not_ready{kind="Maintenance",namespace="billing",name="nas",reason="OwnedByAnother"} 1',
  ]);
});
