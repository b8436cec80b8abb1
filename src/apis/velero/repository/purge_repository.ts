import { sentence } from "../../../core/reconcile/task_words.ts";
import { endRunsOf } from "../../../core/work/end_runs.ts";
import type { RunTask } from "../../../core/work/run_request.ts";
import {
  type BackupRepository,
  backupRepositoryResource,
} from "../../../kinds/velero/generated/backup_repository.ts";
import {
  type PodVolumeBackup,
  podVolumeBackupResource,
} from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { LEFTOVERS_ANNOTATION, leftOf, leftoversOf } from "../data_path/left_behind.ts";
import { ownerOf, PASSWORD } from "../data_path/pod_volume_task.ts";
import { repositoryFor } from "../data_path/surroundings.ts";
import type { VeleroPorts } from "../ports.ts";
import { writeTogether, writtenOf } from "../write_together.ts";
import {
  afterFailure,
  afterSuccess,
  allLeft,
  isUnderWay,
  nextPurge,
  PURGE_ANNOTATION,
  type Purge,
  purgeOf,
} from "./purge.ts";
import { type Storage, storageOf } from "./storage_of.ts";

const DEADLINE = 1800;

/** The repository in which a change of a backup leaves something to delete. What is gone for good is remembered. */
export function repositoryToPurge(
  ports: Pick<VeleroPorts, "caches" | "gone">,
  change: Change<PodVolumeBackup>,
): readonly ObjectKey[] {
  const backup = lastSeen(change);
  if (change.type === "removed") return rememberGone(ports, backup);
  const repository = leftOf(backup).length > 0 ? repositoryFor(ports, backup) : undefined;
  return repository?.type === "Found" ? [keyOf(repository.object)] : [];
}

/** Remembers what a backup left whose object is gone, until its repository does. Returns that. */
export function rememberGone(
  ports: Pick<VeleroPorts, "caches" | "gone">,
  backup: PodVolumeBackup,
): readonly ObjectKey[] {
  const left = backup.spec ? leftOf(backup, true) : [];
  const repository = left.length > 0 ? repositoryFor(ports, backup) : undefined;
  if (repository?.type !== "Found") return [];
  const key = keyOf(repository.object);
  ports.gone.set(key, [...(ports.gone.get(key) ?? []), ...left]);
  return [key];
}

/** Deletes what no Velero server knows of: what failed backups left, and records whose snapshots it has deleted. */
export async function purgeRepository(
  ports: VeleroPorts,
  repository: BackupRepository,
  signal: AbortSignal,
): Promise<Outcome> {
  const { caches, clock, gone } = ports;
  const memory = purgeOf(repository);
  const now = clock.now();
  const backups = [...caches.backups.values()].filter((one) => isIn(one, repository));
  const left = [...backups.flatMap((one) => leftOf(one)), ...(gone.get(keyOf(repository)) ?? [])];
  if (memory && isUnderWay(memory))
    return underWay(ports, repository, { ...memory, left: allLeft(memory, left) }, signal);
  const next = nextPurge({ memory, left, now });
  // What is written tells of itself.
  if (next.purge) await remember(ports, repository, next.purge, signal);
  return next.wakeAt === undefined ? done : requeueAfter(Math.max(0, next.wakeAt - now));
}

async function underWay(
  ports: VeleroPorts,
  repository: BackupRepository,
  purge: Purge,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, caches, clock, tasks, log } = ports;
  const { namespace = "" } = repository.metadata;
  const { volumeNamespace, backupStorageLocation: name } = repository.spec;
  const location = caches.locations.get(keyOf({ namespace, name }));
  const storage = location && storageOf(location, volumeNamespace);
  if (!storage?.ok || location?.spec.accessMode === "ReadOnly") {
    await remember(ports, repository, afterFailure(purge, clock.now()), signal);
    return done;
  }
  const { record } = purge;
  const task = purgeTask(repository, storage.value, purge, ports);
  const decision = await tasks.decide({ task, policy: {}, ...(record ? { record } : {}) }, { signal });
  const { state } = decision;
  if (state.phase !== "Ended") {
    await remember(ports, repository, { ...purge, record: decision.record }, signal);
    await tasks.carryOut(decision, { signal });
    return decision.wakeAt === undefined ? done : requeueAfter(Math.max(0, decision.wakeAt - clock.now()));
  }
  if (state.outcome === "Succeeded") await forget(ports, repository, purge, signal);
  else {
    const why = state.result?.failure ? sentence(state.result.failure) : "The mover's report is lost.";
    log.warn(
      { kind: repository.kind, key: keyOf(repository) },
      `What ended backups left could not be deleted: ${why}`,
    );
  }
  const after = state.outcome === "Succeeded" ? afterSuccess(purge) : afterFailure(purge, clock.now());
  await endRunsOf(client, repository, { signal });
  await remember(ports, repository, after, signal);
  return done;
}

/** Whether the data of a backup is in a repository, or goes there. */
export function isIn({ metadata, spec }: PodVolumeBackup, repository: BackupRepository): boolean {
  return (
    metadata.namespace === repository.metadata.namespace &&
    spec?.backupStorageLocation === repository.spec.backupStorageLocation &&
    spec.pod.namespace === repository.spec.volumeNamespace
  );
}

async function remember(
  { client, gone }: VeleroPorts,
  repository: BackupRepository,
  purge: Purge | undefined,
  signal: AbortSignal,
): Promise<void> {
  const written = writtenOf(repository);
  const { [PURGE_ANNOTATION]: _, ...others } = written.annotations;
  const annotations = purge ? { ...others, [PURGE_ANNOTATION]: JSON.stringify(purge) } : others;
  await writeTogether(client, backupRepositoryResource, repository, { ...written, annotations }, signal);
  // What came meanwhile, or was too much for an annotation, is nowhere else.
  const kept = new Set(purge?.left?.map(({ run }) => run));
  const rest = (gone.get(keyOf(repository)) ?? []).filter(({ run }) => !kept.has(run));
  if (rest.length > 0) gone.set(keyOf(repository), rest);
  else gone.delete(keyOf(repository));
}

/** Nothing is left of these backups. */
async function forget(
  { client, caches }: VeleroPorts,
  repository: BackupRepository,
  { runs }: Purge,
  signal: AbortSignal,
): Promise<void> {
  for (const backup of caches.backups.values()) {
    const left = leftoversOf(backup);
    if (left.length === 0 || !isIn(backup, repository) || !left.every((run) => runs.includes(run))) continue;
    const written = writtenOf(backup);
    const { [LEFTOVERS_ANNOTATION]: _, ...annotations } = written.annotations;
    await writeTogether(client, podVolumeBackupResource, backup, { ...written, annotations }, signal);
  }
}

function purgeTask(
  repository: BackupRepository,
  storage: Storage,
  { runs, companionsOf, since }: Purge,
  { settings }: VeleroPorts,
): RunTask {
  const { namespace = "" } = repository.metadata;
  const { moverImage: image, imagePullPolicy } = settings;
  return {
    purpose: `purge-${fingerprint(JSON.stringify([runs, companionsOf, since]))}`,
    namespace,
    owner: ownerOf(backupRepositoryResource, repository),
    work: {
      engine: "kopia",
      repository: { backend: storage.backend },
      // What a failed backup left may be a record alone.
      work: { delete: { snapshots: [], runs, companionsOf: [...runs, ...companionsOf] } },
      deadlineSeconds: DEADLINE,
    },
    secrets: { password: PASSWORD, credentials: storage.credentials },
    mover: { image, ...(imagePullPolicy ? { imagePullPolicy } : {}) },
  };
}
