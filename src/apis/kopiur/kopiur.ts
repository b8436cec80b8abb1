import type { DeletionObserver } from "../../core/api.ts";
import type { EngineRoom } from "../../core/reconcile/engine_room.ts";
import { registerPopulator } from "../../core/volumes/populator/register_populator.ts";
import { leftoverSweep } from "../../core/volumes/staging/leftover_sweep.ts";
import { ownerTruth } from "../../core/volumes/staging/owner_truth.ts";
import { watchSnapshots } from "../../core/volumes/staging/watch_snapshots.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { cachedLookup } from "./admission/lookup.ts";
import { backupController } from "./backup/backup_controller.ts";
import { deletionGuard } from "./backup/guard_deletions.ts";
import { kopiurCaches } from "./caches.ts";
import { catalogController } from "./catalog/catalog_controller.ts";
import { configController } from "./config/config_controller.ts";
import { maintenanceControllers } from "./maintenance/maintenance_controller.ts";
import type { KopiurPorts } from "./ports.ts";
import { clusterRepositoryController, repositoryController } from "./repository/repository_controller.ts";
import { restoreController } from "./restore/restore_controller.ts";
import { retentionController } from "./retention/retention_controller.ts";
import { scheduleControllers } from "./schedule/schedule_controller.ts";

/** The controllers of this API, for a process that leads. Their caches are asked for here, and run by the informers. */
export function kopiurControllers(
  room: EngineRoom,
  informers: Pick<Informers, "cache">,
  tally?: DeletionObserver | undefined,
): readonly Runnable[] {
  const { client, clock, log, namespace } = room;
  const caches = kopiurCaches(informers, namespace);
  const ports: KopiurPorts = {
    ...room,
    deletionGuard: deletionGuard(caches, clock),
    caches,
    lookup: cachedLookup(caches, room.storesIn, namespace),
    ...(tally ? { tally } : {}),
  };
  const backups = backupController(ports);
  return [
    repositoryController(ports),
    ...(ports.caches.clusterRepositories
      ? [clusterRepositoryController(ports, ports.caches.clusterRepositories)]
      : []),
    catalogController(ports),
    configController(ports),
    backups,
    watchSnapshots(
      { name: "kopiur-volumesnapshots", resource: backupResource, client, informers, namespace, log },
      backups,
    ),
    leftoverSweep({
      client,
      clock,
      log,
      namespace,
      truthOf: (owner, signal) => ownerTruth(client, backupResource, owner, signal),
    }),
    restoreController(ports),
    ...(namespace === undefined ? [registerPopulator({ client, log }, restoreResource)] : []),
    ...maintenanceControllers(ports),
    ...scheduleControllers(ports),
    retentionController(ports),
  ];
}
