import { SNAPSHOT } from "../../../core/backup/snapshot_task.ts";
import type { CatalogObjects } from "../../../core/catalog/catalog_objects.ts";
import { runId } from "../../../core/work/run_id.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { isDiscovered } from "../backup/backup_labels.ts";
import { BY_CATALOG, type KopiurCaches } from "../caches.ts";
import { DISCOVERED_SPEC, discoveredLabels, discoveredStatus } from "./discovered_backup.ts";

/** Backups, as what stands for the snapshots of repositories. */
export function catalogOfBackups({ backups }: Pick<KopiurCaches, "backups">): CatalogObjects<Backup> {
  return {
    resource: backupResource,
    of: ({ metadata, status }) => {
      const known = backups
        .indexed(BY_CATALOG, keyOf(metadata))
        .filter((backup) => backup.status?.resolved?.repository?.uniqueID === status?.uniqueID);
      // A Backup that was found, and whose status could not be written any more.
      return [...known, ...backups.indexed(BY_CATALOG, metadata.uid)];
    },
    isDiscovered,
    snapshotsOf: ({ status }) =>
      (status?.snapshots ?? []).map(({ kopiaSnapshotID: id, identity, runID: run, root }) => ({
        id,
        identity: { username: identity.username, hostname: identity.hostname, path: identity.sourcePath },
        run,
        root,
      })),
    runsOf: ({ metadata: { name, uid }, status }) => {
      // The next attempt may begin, and leave something, before the status tells of it.
      const attempts = (status?.job?.attempts ?? 0) + (status?.phase === "Succeeded" ? 0 : 1);
      return Array.from({ length: attempts }, (_, n) =>
        runId({ owner: { name, uid }, purpose: SNAPSHOT, attempt: n + 1 }),
      );
    },
    discoveredSpec: DISCOVERED_SPEC,
    discoveredLabels,
    discoveredStatus,
  };
}
