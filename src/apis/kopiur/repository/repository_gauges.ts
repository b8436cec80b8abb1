import { shrunkCondition } from "../../../core/catalog/shrunk_condition.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";
import { isOfCluster } from "../references.ts";
import { allRepositories } from "../repository_use.ts";

const PLACE = ["namespace", "name"];
const LABELS = ["kind", ...PLACE];

/** What goes on at repositories and what they hold, told at a scrape. What is not known of one is left out. */
export function repositoryGauges(
  caches: Pick<KopiurCaches, "repositories" | "clusterRepositories">,
): readonly GaugeOptions[] {
  const read =
    (samples: (status: RepositoryStatus) => readonly Sample[], labelled = LABELS) =>
    () =>
      allRepositories(caches).flatMap((repository) => {
        const { namespace = "", name } = repository.metadata;
        const kind = isOfCluster(repository) ? "ClusterRepository" : "Repository";
        const place = labelled === LABELS ? { kind, namespace, name } : { namespace, name };
        const own = repository.status ? samples(repository.status) : [];
        return own.map(({ labels, value }) => ({ labels: { ...place, ...labels }, value }));
      });
  const figure = (
    name: string,
    help: string,
    of: (status: RepositoryStatus) => number | undefined,
    labels = LABELS,
  ): GaugeOptions => ({
    name,
    help,
    labels,
    read: read((status) => {
      const value = of(status);
      return value === undefined ? [] : [{ value }];
    }, labels),
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
    figure(
      "holdfast_repository_breaker_open",
      "1 while work waits because the repository's storage fails",
      ({ breaker }) => breaker && (breaker.state === "Closed" ? 0 : 1),
    ),
    figure(
      "kopiur_repository_catalog_shrunk",
      "1 while more snapshots are missing from the repository's list than anybody believes",
      (status) => (shrunkCondition({ status }) ? 1 : status.catalog && 0),
    ),
    figure(
      "holdfast_repository_pending_deletions",
      "Snapshots of the repository that are to be deleted and could not be yet",
      ({ deletions }) => deletions?.pending,
    ),
    figure(
      "kopiur_repository_maintenance_configured",
      "1 when a Maintenance names the repository, 0 when none does",
      ({ conditions = [] }) => {
        const told = conditions.find(({ type }) => type === CONDITIONS.maintenanceConfigured);
        // A read-only one is maintained where it is written.
        if (told?.reason === REASONS.repositoryReadOnly) return undefined;
        return told && (told.status === "True" ? 1 : 0);
      },
    ),
    figure(
      "kopiur_repo_size_bytes",
      "Bytes of the newest snapshot of every identity",
      ({ storageStats }) => storageStats?.logicalBytes,
      PLACE,
    ),
    figure(
      "kopiur_repo_stored_bytes",
      "Bytes that the repository takes of its storage",
      ({ storageStats }) => storageStats?.storedBytes,
      PLACE,
    ),
    figure(
      "kopiur_repo_snapshot_count",
      "Snapshots in the repository, of all identities",
      ({ storageStats }) => storageStats?.snapshotCount,
      PLACE,
    ),
    figure(
      "kopiur_repo_discovered_backups",
      "Backups that stand for snapshots which were found in the repository",
      ({ catalog }) => catalog?.discoveredBackupCount,
      PLACE,
    ),
  ];
}
