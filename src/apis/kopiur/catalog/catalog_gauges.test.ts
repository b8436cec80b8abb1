import { expect, test } from "vitest";
import { Metrics } from "../../../observe/metrics.ts";
import { clusterRepository, readyNas } from "../testing/samples.ts";
import { catalogGauges } from "./catalog_gauges.ts";

const cacheOf = (...values: readonly object[]) => ({ values: () => values }) as never;

test("what repositories hold is told at a scrape, as far as it is known", async () => {
  const metrics = new Metrics();
  const storageStats = { snapshotCount: 12, logicalBytes: 4096, storedBytes: 1024 };
  const gauges = catalogGauges({
    repositories: cacheOf(readyNas({ status: { storageStats, catalog: { discoveredBackupCount: 5 } } })),
    clusterRepositories: cacheOf(clusterRepository({ status: { storageStats: { snapshotCount: 3 } } })),
  });
  for (const gauge of gauges) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_"));
  expect(lines).toEqual([
    'kopiur_repo_size_bytes{namespace="billing",name="nas"} 4096',
    'kopiur_repo_stored_bytes{namespace="billing",name="nas"} 1024',
    'kopiur_repo_snapshot_count{namespace="billing",name="nas"} 12',
    'kopiur_repo_snapshot_count{namespace="",name="shared"} 3',
    'kopiur_repo_discovered_backups{namespace="billing",name="nas"} 5',
  ]);
});
