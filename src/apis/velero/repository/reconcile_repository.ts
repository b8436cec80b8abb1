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
import { done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { isRecord } from "../../../lib/json.ts";
import { ownerOf, PASSWORD } from "../data_path/pod_volume_task.ts";
import { consents } from "../data_path/surroundings.ts";
import type { VeleroPorts } from "../ports.ts";
import { writeTogether, writtenOf } from "../write_together.ts";
import { hasServer } from "./create_repository.ts";
import { noCredential } from "./no_credential.ts";
import { purgeRepository } from "./purge_repository.ts";
import { type Storage, storageOf } from "./storage_of.ts";

const RUN_ANNOTATION = "holdfast.dev/connect";
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
  if (repository.status?.phase === "Ready" && !(isOurs(repository) && runOf(repository)))
    return consents(ports, namespace) ? purgeRepository(ports, repository, signal) : done;
  if (!isOurs(repository)) return done;
  const write = (status: BackupRepositoryStatus, run?: RunRecord) => {
    const { [RUN_ANNOTATION]: _, ...others } = writtenOf(repository).annotations;
    const annotations = run ? { ...others, [RUN_ANNOTATION]: JSON.stringify(run) } : others;
    const wanted = { ...writtenOf(repository), annotations, status };
    return writeTogether(client, backupRepositoryResource, repository, wanted, signal);
  };
  if (repository.status?.phase === "Ready") {
    await endRunsOf(client, repository, { signal });
    await write(repository.status);
    return done;
  }
  if (await hasServer(ports, namespace, signal)) return done;
  const { backupStorageLocation: name, volumeNamespace } = repository.spec;
  const location = caches.locations.get(keyOf({ namespace, name }));
  const storage = location && storageOf(location, volumeNamespace);
  if (!storage?.ok) {
    await write({
      phase: "NotReady",
      message: storage?.error ?? `BackupStorageLocation ${name} does not exist.`,
    });
    return requeueAfter(LOOK_AGAIN);
  }
  const record = runOf(repository);
  const task = connectTask(repository, storage.value, ports);
  const decision = await tasks.decide({ task, policy: FOREVER, ...(record ? { record } : {}) }, { signal });
  const uncredited = location && noCredential(location, decision.state);
  const status: BackupRepositoryStatus =
    uncredited === undefined ? statusAfter(decision.state) : { phase: "NotReady", message: uncredited };
  await write(status, decision.record);
  if (location) await writeLocation(ports, location, status, signal);
  await tasks.carryOut(decision, { signal });
  return decision.wakeAt === undefined ? done : requeueAfter(Math.max(0, decision.wakeAt - clock.now()));
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

function connectTask(repository: BackupRepository, storage: Storage, { settings }: VeleroPorts): RunTask {
  const { namespace = "" } = repository.metadata;
  const { moverImage: image, imagePullPolicy } = settings;
  return {
    purpose: "connect",
    namespace,
    owner: ownerOf(backupRepositoryResource, repository),
    work: {
      engine: "kopia",
      repository: { backend: storage.backend },
      work: { init: { create: true, parameters: PARAMETERS } },
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
