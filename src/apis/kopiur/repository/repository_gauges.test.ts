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
