import { controllerPorts, type EngineRoom } from "../../core/reconcile/engine_room.ts";
import { dataDownloadResource, dataUploadResource } from "../../kinds/velero/data_movement.ts";
import { backupRepositoryResource } from "../../kinds/velero/generated/backup_repository.ts";
import { podVolumeBackupResource } from "../../kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../kinds/velero/generated/pod_volume_restore.ts";
import { isFinal } from "../../kinds/velero/phases.ts";
import { type Cache, lastSeen } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { Controller } from "../../kube/controller/controller.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { refuseDataMovement } from "./data_movement/refuse_data_movement.ts";
import { memoryOf, type PodVolume } from "./data_path/pod_volume.ts";
import { type PodVolumeKind, reconcilePodVolume } from "./data_path/reconcile_pod_volume.ts";
import { type VeleroPorts, veleroCaches } from "./ports.ts";
import { repositoryToPurge } from "./repository/purge_repository.ts";
import { reconcileRepository, repositoryWantedBy } from "./repository/reconcile_repository.ts";
import { veleroSettings } from "./velero_settings.ts";

/** Objects of a kind that are worked on at once. */
const CONCURRENCY = 8;

/** The controllers of this API, for a process that leads. Their caches are asked for here, and run by the informers. */
export function veleroControllers(
  room: EngineRoom,
  informers: Pick<Informers, "cache">,
): readonly Runnable[] {
  const caches = veleroCaches(informers, room.namespace);
  const ports: VeleroPorts = {
    ...room,
    caches,
    own: veleroSettings(room.settings.ofApis?.velero),
    begun: new Set(),
    preparing: new Set(),
    configs: new Map(),
    gone: new Map(),
    wakeRepository: (key) => repositories.enqueue(key),
    leftAlone: new Set(),
  };
  const repositories = repositoryController(ports);
  const kinds: readonly PodVolumeKind[] = [
    {
      resource: podVolumeBackupResource as unknown as Resource<PodVolume>,
      cache: caches.backups as unknown as Cache<PodVolume>,
    },
    {
      resource: podVolumeRestoreResource as unknown as Resource<PodVolume>,
      cache: caches.restores as unknown as Cache<PodVolume>,
    },
  ];
  const moved = [dataUploadResource, dataDownloadResource];
  return [
    ...kinds.map((kind) => podVolumeController(ports, kind)),
    repositories,
    ...moved.map((resource) => refuseDataMovement(ports, informers, resource)),
  ];
}

function podVolumeController(ports: VeleroPorts, kind: PodVolumeKind): Controller {
  const { resource, cache } = kind;
  const { repositories, locations, namespaces } = ports.caches;
  const waitingIn = (namespace: string | undefined) =>
    [...cache.values()]
      .filter(({ metadata, status }) => metadata.namespace === namespace && !isFinal(status?.phase))
      .map((object) => keyOf(object));
  const controller = new Controller({
    ...controllerPorts(ports),
    name: `velero-${resource.plural}`,
    concurrency: CONCURRENCY,
    reconcile: (key, signal) => reconcilePodVolume(ports, kind, key, signal),
  })
    .watch(cache)
    .watch(repositories, { keys: (change) => waitingIn(lastSeen(change).metadata.namespace) })
    .watch(locations, { keys: (change) => waitingIn(lastSeen(change).metadata.namespace) })
    .watch(namespaces, { keys: (change) => waitingIn(nameOf(lastSeen(change))) });
  ports.tasks.wake(controller, resource);
  ports.queues.recordHolders({
    cache,
    records: (object) => [memoryOf(object).run].flatMap((run) => run ?? []),
    wake: (key) => controller.enqueue(key),
  });
  return controller;
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name;

function repositoryController(ports: VeleroPorts): Controller {
  const { repositories, locations, backups } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "velero-backuprepositories",
    concurrency: CONCURRENCY,
    reconcile: (key, signal) => reconcileRepository(ports, key, signal),
  })
    .watch(repositories)
    .watch(backups, {
      keys: (change) => [...repositoryToPurge(ports, change), ...repositoryWantedBy(ports, change)],
    })
    .watch(locations, {
      keys: (change) => {
        const { namespace, name } = lastSeen(change).metadata;
        return [...repositories.values()]
          .filter(
            ({ metadata, spec }) => metadata.namespace === namespace && spec?.backupStorageLocation === name,
          )
          .map((object) => keyOf(object));
      },
    });
  ports.tasks.wake(controller, backupRepositoryResource);
  return controller;
}
