import { sentence } from "../../../core/reconcile/task_words.ts";
import { endRunsOf } from "../../../core/work/end_runs.ts";
import { MANAGED_BY } from "../../../core/work/run_labels.ts";
import { FOREVER } from "../../../core/work/run_policy.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { RunTask } from "../../../core/work/run_request.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import {
  type BackupRepository,
  type BackupRepositoryStatus,
  backupRepositoryResource,
} from "../../../kinds/velero/generated/backup_repository.ts";
import {
  type BackupStorageLocation,
  backupStorageLocationResource,
} from "../../../kinds/velero/generated/backup_storage_location.ts";
import type { PodVolumeBackup } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { isRecord } from "../../../lib/json.ts";
import { ownerOf, PASSWORD } from "../data_path/pod_volume_task.ts";
import { consents, repositoryFor } from "../data_path/surroundings.ts";
import type { VeleroPorts } from "../ports.ts";
import { writeTogether, writtenOf } from "../write_together.ts";
import { hasServer } from "./create_repository.ts";
import { noCredential } from "./no_credential.ts";
import { isIn, purgeRepository } from "./purge_repository.ts";
import { type Storage, storageOf } from "./storage_of.ts";

const RUN_ANNOTATION = "holdfast.dev/connect";
/** Where it was when it was opened. */
const PLACE_ANNOTATION = "holdfast.dev/connected-to";
/** As Velero creates its repositories. */
const PARAMETERS = {
  encryption: "AES256-GCM-HMAC-SHA256",
  hash: "BLAKE2B-256-128",
  splitter: "DYNAMIC-4M-BUZHASH",
};
const DEADLINE = 300;
const LOOK_AGAIN = 60_000;

/** Opens a repository that was made here, and creates it in its storage: never while a Velero server does that. */
export async function reconcileRepository(
  ports: VeleroPorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, caches, clock, tasks } = ports;
  const repository = caches.repositories.get(key);
  if (!repository?.spec || repository.metadata.deletionTimestamp) return done;
  const { namespace = "" } = repository.metadata;
  const { backupStorageLocation: name, volumeNamespace } = repository.spec;
  const location = caches.locations.get(keyOf({ namespace, name }));
  const storage = location && storageOf(location, volumeNamespace);
  const place = storage?.ok ? fingerprint(JSON.stringify(storage.value)) : undefined;
  const isReady = repository.status?.phase === "Ready";
  const purged = () => (consents(ports, namespace) ? purgeRepository(ports, repository, signal) : done);
  if (isReady && !(isOurs(repository) && (runOf(repository) || isElsewhere(repository, place))))
    return purged();
  if (!isOurs(repository)) return done;
  const write = (status: BackupRepositoryStatus, more: Readonly<Record<string, string>> = {}) => {
    const { [RUN_ANNOTATION]: _, ...others } = writtenOf(repository).annotations;
    const wanted = { ...writtenOf(repository), annotations: { ...others, ...more }, status };
    return writeTogether(client, backupRepositoryResource, repository, wanted, signal);
  };
  if (isReady && runOf(repository)) {
    await endRunsOf(client, repository, { signal });
    await write(repository.status);
    return done;
  }
  if (await hasServer(ports, namespace, signal)) return isReady ? purged() : done;
  if (!storage?.ok) {
    await write({
      phase: "NotReady",
      message: storage?.error ?? `BackupStorageLocation ${name} does not exist.`,
    });
    return requeueAfter(LOOK_AGAIN);
  }
  const create = location?.spec.accessMode !== "ReadOnly" && isBackedUpTo(ports, repository);
  const edition = fingerprint(`${place} ${create}`);
  // What was found elsewhere, or without the right to create it, says nothing.
  const known = runOf(repository);
  const record = known?.edition === edition ? known : undefined;
  const task = connectTask(repository, storage.value, { ...ports, create, edition });
  const view = { task, policy: FOREVER, edition, ...(record ? { record } : {}) };
  const decision = await tasks.decide(view, { signal });
  const uncredited = location && noCredential(location, decision.state);
  const status: BackupRepositoryStatus =
    uncredited === undefined ? statusAfter(decision.state) : { phase: "NotReady", message: uncredited };
  const run = JSON.stringify(decision.record);
  await write(status, {
    [RUN_ANNOTATION]: run,
    ...(status.phase === "Ready" ? { [PLACE_ANNOTATION]: place ?? "" } : {}),
  });
  if (location) await writeLocation(ports, location, status, signal);
  await tasks.carryOut(decision, { signal });
  return decision.wakeAt === undefined ? done : requeueAfter(Math.max(0, decision.wakeAt - clock.now()));
}

/** The repository that a new backup waits for, which may have to be created for it. */
export function repositoryWantedBy(
  ports: Pick<VeleroPorts, "caches">,
  change: Change<PodVolumeBackup>,
): readonly ObjectKey[] {
  const backup = lastSeen(change);
  if (change.type !== "added" || !backup.spec || isFinal(backup.status?.phase)) return [];
  const found = repositoryFor(ports, backup);
  return found.type === "Found" && found.object.status?.phase !== "Ready" ? [keyOf(found.object)] : [];
}

/** A restore takes what is there: to create a repository for it would make an empty one of a wrong address. */
function isBackedUpTo({ caches }: Pick<VeleroPorts, "caches">, repository: BackupRepository): boolean {
  return [...caches.backups.values()].some((one) => isIn(one, repository) && !isFinal(one.status?.phase));
}

/** Its location was edited since it was opened. */
function isElsewhere({ metadata }: BackupRepository, place: string | undefined): boolean {
  return place !== undefined && metadata.annotations?.[PLACE_ANNOTATION] !== place;
}

/** Without a server nobody else says whether a location can be reached. */
async function writeLocation(
  { client, clock }: VeleroPorts,
  location: BackupStorageLocation,
  { phase, message }: BackupRepositoryStatus,
  signal: AbortSignal,
): Promise<void> {
  const wanted = locationPhase(phase);
  if (wanted === undefined || wanted === location.status?.phase) return;
  const { message: _, ...status } = location.status ?? {};
  const lastValidationTime = timestamp(clock.now());
  await writeTogether(
    client,
    backupStorageLocationResource,
    location,
    {
      ...writtenOf(location),
      status: { ...status, phase: wanted, lastValidationTime, ...(message ? { message } : {}) },
    },
    signal,
  );
}

function locationPhase(phase: BackupRepositoryStatus["phase"]): "Available" | "Unavailable" | undefined {
  if (phase === "Ready") return "Available";
  return phase === "NotReady" ? "Unavailable" : undefined;
}

function isOurs({ metadata }: BackupRepository): boolean {
  return Object.entries(MANAGED_BY).every(([name, value]) => metadata.labels?.[name] === value);
}

function runOf({ metadata }: BackupRepository): RunRecord | undefined {
  const run: unknown = JSON.parse(metadata.annotations?.[RUN_ANNOTATION] ?? "null");
  return isRecord(run) ? (run as unknown as RunRecord) : undefined;
}

function connectTask(
  repository: BackupRepository,
  storage: Storage,
  { settings, create, edition }: VeleroPorts & { readonly create: boolean; readonly edition: string },
): RunTask {
  const { namespace = "" } = repository.metadata;
  const { moverImage: image, imagePullPolicy } = settings;
  return {
    purpose: `connect-${edition}`,
    namespace,
    owner: ownerOf(backupRepositoryResource, repository),
    work: {
      engine: "kopia",
      repository: { backend: storage.backend },
      work: { init: { create, parameters: PARAMETERS } },
      deadlineSeconds: DEADLINE,
    },
    secrets: { password: PASSWORD, credentials: storage.credentials },
    mover: { image, ...(imagePullPolicy ? { imagePullPolicy } : {}) },
  };
}

function statusAfter(state: TaskState): BackupRepositoryStatus {
  if (state.phase === "Ended") {
    const { failure } = state.result ?? {};
    if (state.outcome === "Succeeded") return { phase: "Ready" };
    return {
      phase: "NotReady",
      message: failure ? sentence(failure) : "The repository could not be opened.",
    };
  }
  const why = state.phase === "BackingOff" ? sentence(state.failure) : waitingText(state);
  return { phase: "New", ...(why ? { message: why } : {}) };
}

function waitingText(state: TaskState): string | undefined {
  return state.phase === "Working" && state.state.phase === "Waiting" ? state.state.message : undefined;
}
