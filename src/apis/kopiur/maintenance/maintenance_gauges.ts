import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";
import { turnDueAt } from "./turn_due_at.ts";

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
      name: "kopiur_maintenance_due_timestamp_seconds",
      help: "When the first quick or full run is due, or was, since one succeeded",
      labels: ["namespace", "name", "mode"],
      read: () => [...maintenances.values()].flatMap(dueTurns),
    },
    {
      name: "kopiur_maintenance_check_healthy",
      help: "1 when the last check of the repository found nothing, 0 when it found damage",
      labels: ["namespace", "name"],
      read: () =>
        [...maintenances.values()].flatMap(({ metadata: { namespace = "", name }, status }) => {
          const { lastCheck } = status ?? {};
          return lastCheck ? [{ labels: { namespace, name }, value: lastCheck.healthy ? 1 : 0 }] : [];
        }),
    },
    {
      name: "kopiur_maintenance_check_missing_packs",
      help: "Packs that the last check of the repository found missing from its storage",
      labels: ["namespace", "name"],
      read: () => [...maintenances.values()].flatMap((one) => ofCheck(one, ({ packs }) => packs)),
    },
    {
      name: "kopiur_maintenance_check_hit_snapshots",
      help: "Snapshots that need what the last check of the repository found missing, where that is known",
      labels: ["namespace", "name"],
      read: () => [...maintenances.values()].flatMap((one) => ofCheck(one, ({ snapshots }) => snapshots)),
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

type Missing = NonNullable<NonNullable<NonNullable<Maintenance["status"]>["lastCheck"]>["missing"]>;

/** A figure of what is missing: nothing before the first check, and 0 when a check finds everything there. */
function ofCheck(
  { metadata: { namespace = "", name }, status }: Maintenance,
  figure: (missing: Missing) => number | undefined,
): readonly Sample[] {
  const { lastCheck } = status ?? {};
  if (!lastCheck) return [];
  const value = lastCheck.missing ? figure(lastCheck.missing) : 0;
  return value === undefined ? [] : [{ labels: { namespace, name }, value }];
}

function lastSuccesses({ metadata: { namespace = "", name }, status }: Maintenance): readonly Sample[] {
  return (["quick", "full"] as const).flatMap((mode) => {
    const at = status?.[mode]?.lastSuccessAt;
    return at === undefined ? [] : [{ labels: { namespace, name, mode }, value: Date.parse(at) / 1000 }];
  });
}

/** To understand a schedule costs more than all the rest of a scrape, and what is due seldom changes. */
const memory = new WeakMap<Maintenance, readonly Sample[]>();

function dueTurns(maintenance: Maintenance): readonly Sample[] {
  const known = memory.get(maintenance);
  if (known) return known;
  const { namespace = "", name } = maintenance.metadata;
  const due = (["quick", "full"] as const).flatMap((mode) => {
    const at = isBehind(maintenance) ? undefined : turnDueAt(maintenance, mode);
    return at === undefined ? [] : [{ labels: { namespace, name, mode }, value: at / 1000 }];
  });
  memory.set(maintenance, due);
  return due;
}

/** Another one maintains the stored repository, so that nothing is due here. */
function isBehind({ status }: Maintenance): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.reason === REASONS.sharedRepository;
}

/** Nothing is said of a repository before anybody has looked. */
function configured(repository: AnyRepository): readonly Sample[] {
  const { namespace = "", name } = repository.metadata;
  const told = repository.status?.conditions?.find(({ type }) => type === CONDITIONS.maintenanceConfigured);
  if (!told) return [];
  const kind = isOfCluster(repository) ? "ClusterRepository" : "Repository";
  return [{ labels: { kind, namespace, name }, value: told.status === "True" ? 1 : 0 }];
}
