import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";
import { shrunkCondition } from "../catalog/shrunk_condition.ts";
import { isOfCluster } from "../references.ts";

const LABELS = ["kind", "namespace", "name"];

/** What goes on at repositories, told at a scrape. What is not known of one is left out. */
export function repositoryGauges({
  repositories,
  clusterRepositories,
}: Pick<KopiurCaches, "repositories" | "clusterRepositories">): readonly GaugeOptions[] {
  const read = (samples: (status: RepositoryStatus) => readonly Sample[]) => () =>
    [...repositories.values(), ...(clusterRepositories?.values() ?? [])].flatMap((repository) => {
      const { namespace = "", name } = repository.metadata;
      const kind = isOfCluster(repository) ? "ClusterRepository" : "Repository";
      const own = repository.status ? samples(repository.status) : [];
      return own.map(({ labels, value }) => ({ labels: { kind, namespace, name, ...labels }, value }));
    });
  return [
    {
      name: "holdfast_repository_runs",
      help: "Runs at the repository, running or waiting for their turn",
      labels: [...LABELS, "state"],
      read: read(({ runs }) =>
        (["running", "waiting"] as const).flatMap((state) => {
          const value = runs?.[state];
          return value === undefined ? [] : [{ labels: { state }, value }];
        }),
      ),
    },
    {
      name: "holdfast_repository_breaker_open",
      help: "1 while work waits because the repository's storage fails",
      labels: LABELS,
      read: read(({ breaker }) => (breaker ? [{ value: breaker.state === "Closed" ? 0 : 1 }] : [])),
    },
    {
      name: "kopiur_repository_catalog_shrunk",
      help: "1 while more snapshots are missing from the repository's list than anybody believes",
      labels: LABELS,
      read: read((status) => {
        const shrunk = shrunkCondition({ status });
        return status.catalog || shrunk ? [{ value: shrunk ? 1 : 0 }] : [];
      }),
    },
    {
      name: "holdfast_repository_pending_deletions",
      help: "Snapshots of the repository that are to be deleted and could not be yet",
      labels: LABELS,
      read: read(({ deletions }) => (deletions?.pending === undefined ? [] : [{ value: deletions.pending }])),
    },
  ];
}
