import { expect, test } from "vitest";
import { Metrics } from "../../../observe/metrics.ts";
import { clusterRepository, readyNas } from "../testing/samples.ts";
import { repositoryGauges } from "./repository_gauges.ts";

const cacheOf = (...values: readonly object[]) => ({ values: () => values }) as never;

test("who works and waits at repositories, and whether their storage fails, is told at a scrape", async () => {
  const closed = { state: "Closed", consecutiveFailures: 1 };
  const probed = { state: "HalfOpen", consecutiveFailures: 9 };
  const shrunk = { type: "CatalogShrunk", status: "True", reason: "R", message: "m" };
  const gauges = repositoryGauges({
    repositories: cacheOf(
      readyNas({
        status: { runs: { running: 2, waiting: 5 }, breaker: closed, catalog: {}, deletions: { pending: 3 } },
      }),
      readyNas({ metadata: { name: "new" } }),
    ),
    clusterRepositories: cacheOf(clusterRepository({ status: { breaker: probed, conditions: [shrunk] } })),
  });
  const metrics = new Metrics();
  for (const gauge of gauges) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => /^\w+_repository/.test(line));
  const nas = 'kind="Repository",namespace="billing",name="nas"';
  expect(lines).toEqual([
    `holdfast_repository_runs{${nas},state="running"} 2`,
    `holdfast_repository_runs{${nas},state="waiting"} 5`,
    `holdfast_repository_breaker_open{${nas}} 0`,
    'holdfast_repository_breaker_open{kind="ClusterRepository",namespace="",name="shared"} 1',
    `kopiur_repository_catalog_shrunk{${nas}} 0`,
    'kopiur_repository_catalog_shrunk{kind="ClusterRepository",namespace="",name="shared"} 1',
    `holdfast_repository_pending_deletions{${nas}} 3`,
  ]);
});

test("what repositories hold is told at a scrape, as far as it is known", async () => {
  const metrics = new Metrics();
  const storageStats = { snapshotCount: 12, logicalBytes: 4096, storedBytes: 1024 };
  const gauges = repositoryGauges({
    repositories: cacheOf(readyNas({ status: { storageStats, catalog: { discoveredBackupCount: 5 } } })),
    clusterRepositories: cacheOf(clusterRepository({ status: { storageStats: { snapshotCount: 3 } } })),
  });
  for (const gauge of gauges) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("kopiur_repo_"));
  expect(lines).toEqual([
    'kopiur_repo_size_bytes{namespace="billing",name="nas"} 4096',
    'kopiur_repo_stored_bytes{namespace="billing",name="nas"} 1024',
    'kopiur_repo_snapshot_count{namespace="billing",name="nas"} 12',
    'kopiur_repo_snapshot_count{namespace="",name="shared"} 3',
    'kopiur_repo_discovered_backups{namespace="billing",name="nas"} 5',
  ]);
});

test("whether a repository is maintained is told once somebody has looked", async () => {
  const configured = (status: "True" | "False", name: string) =>
    readyNas({
      metadata: { name },
      status: { conditions: [{ type: "MaintenanceConfigured", status, reason: "R", message: "m" }] },
    });
  const metrics = new Metrics();
  const gauges = repositoryGauges({
    repositories: cacheOf(
      configured("True", "nas"),
      configured("False", "attic"),
      readyNas({ metadata: { name: "new" } }),
    ),
    clusterRepositories: undefined,
  });
  for (const gauge of gauges) metrics.gauge(gauge);
  const lines = (await metrics.text()).split("\n").filter((line) => /^kopiur_.*configured{/.test(line));
  expect(lines).toEqual([
    'kopiur_repository_maintenance_configured{kind="Repository",namespace="billing",name="nas"} 1',
    'kopiur_repository_maintenance_configured{kind="Repository",namespace="billing",name="attic"} 0',
  ]);
});
