import { expect, test } from "vitest";
import { Metrics } from "../../observe/metrics.ts";
import type { KopiurCaches } from "./caches.ts";
import { phaseGauges } from "./phase_gauges.ts";
import { backup, clusterRepository, config, readyNas, restore, schedule } from "./testing/samples.ts";

const cacheOf = (...values: readonly object[]) => ({ values: () => values });
const named = (name: string, phase: string) => backup({ metadata: { name }, status: { phase } });

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
  const metrics = new Metrics();
  for (const gauge of phaseGauges(caches as unknown as KopiurCaches)) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  expect(lines).toEqual([
    'kopiur_resource_phase{kind="Repository",namespace="billing",name="nas",phase="Ready"} 1',
    'kopiur_resource_phase{kind="ClusterRepository",namespace="",name="shared",phase="Degraded"} 1',
    'kopiur_resource_phase{kind="BackupSchedule",namespace="billing",name="nightly",phase="Active"} 1',
    'kopiur_resource_phase{kind="Backup",namespace="billing",name="running",phase="Running"} 1',
    'kopiur_resource_phase{kind="Backup",namespace="billing",name="failed",phase="Failed"} 1',
    'kopiur_resource_phase{kind="Restore",namespace="billing",name="again",phase="Failed"} 1',
  ]);
});
