import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";

/** What is to be seen of maintenance at a scrape: read from the caches, so that what is gone is not shown. */
export function maintenanceGauges({
  repositories,
  clusterRepositories,
  maintenances,
}: Pick<KopiurCaches, "repositories" | "clusterRepositories" | "maintenances">): readonly GaugeOptions[] {
  return [
    {
      name: "kopiur_repository_maintenance_configured",
      help: "1 when a Maintenance names the repository, 0 when none does",
      labels: ["kind", "namespace", "name"],
      read: () => [...repositories.values(), ...(clusterRepositories?.values() ?? [])].flatMap(configured),
    },
    {
      name: "kopiur_maintenance_last_success_timestamp_seconds",
      help: "When a run of the Maintenance last succeeded, quick or full",
      labels: ["namespace", "name", "mode"],
      read: () => [...maintenances.values()].flatMap(lastSuccesses),
    },
    {
      name: "kopiur_maintenance_last_reclaimed_bytes",
      help: "Bytes of storage that the last full run gave back",
      labels: ["namespace", "name"],
      read: () =>
        [...maintenances.values()].flatMap(({ metadata: { namespace = "", name }, status }) => {
          const value = status?.full?.lastContentReclaimedBytes;
          return value === undefined ? [] : [{ labels: { namespace, name }, value }];
        }),
    },
  ];
}

function lastSuccesses({ metadata: { namespace = "", name }, status }: Maintenance): readonly Sample[] {
  return (["quick", "full"] as const).flatMap((mode) => {
    const at = status?.[mode]?.lastSuccessAt;
    return at === undefined ? [] : [{ labels: { namespace, name, mode }, value: Date.parse(at) / 1000 }];
  });
}

/** Nothing is said of a repository before anybody has looked. */
function configured(repository: AnyRepository): readonly Sample[] {
  const { namespace = "", name } = repository.metadata;
  const told = repository.status?.conditions?.find(({ type }) => type === CONDITIONS.maintenanceConfigured);
  if (!told) return [];
  const kind = isOfCluster(repository) ? "ClusterRepository" : "Repository";
  return [{ labels: { kind, namespace, name }, value: told.status === "True" ? 1 : 0 }];
}
