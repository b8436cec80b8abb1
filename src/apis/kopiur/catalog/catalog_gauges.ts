import type { RepositoryStatus } from "../../../kinds/kopiur/generated/repository.ts";
import type { GaugeOptions } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

/** What is to be seen of repositories' lists at a scrape. What is not known of a repository is left out. */
export function catalogGauges({
  repositories,
  clusterRepositories,
}: Pick<KopiurCaches, "repositories" | "clusterRepositories">): readonly GaugeOptions[] {
  const gauge = (
    name: string,
    help: string,
    figure: (status: RepositoryStatus) => number | undefined,
  ): GaugeOptions => ({
    name,
    help,
    labels: ["namespace", "name"],
    read: () =>
      [...repositories.values(), ...(clusterRepositories?.values() ?? [])].flatMap(({ metadata, status }) => {
        const { namespace = "", name } = metadata;
        const value = status && figure(status);
        return value === undefined ? [] : [{ labels: { namespace, name }, value }];
      }),
  });
  return [
    gauge(
      "kopiur_repo_size_bytes",
      "Bytes of the newest snapshot of every identity",
      ({ storageStats }) => storageStats?.logicalBytes,
    ),
    gauge(
      "kopiur_repo_stored_bytes",
      "Bytes that the repository takes of its storage",
      ({ storageStats }) => storageStats?.storedBytes,
    ),
    gauge(
      "kopiur_repo_snapshot_count",
      "Snapshots in the repository, of all identities",
      ({ storageStats }) => storageStats?.snapshotCount,
    ),
    gauge(
      "kopiur_repo_discovered_backups",
      "Backups that stand for snapshots which were found in the repository",
      ({ catalog }) => catalog?.discoveredBackupCount,
    ),
  ];
}
