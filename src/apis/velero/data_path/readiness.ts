import type { PersistentVolumeSpec } from "kubernetes-types/core/v1.d.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { BackupStorageLocation } from "../../../kinds/velero/generated/backup_storage_location.ts";
import type { PodVolumeRestore } from "../../../kinds/velero/generated/pod_volume_restore.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import type { Pod } from "../../../kube/builtin.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { goesWithPod, hostPathOf } from "../host_path.ts";
import { type FoundRepository, repositoryProblem } from "../repository/find_repository.ts";
import { isAt, type Storage, storageOf } from "../repository/storage_of.ts";
import { isCancelled, type Readiness } from "./next_phase.ts";
import {
  type Exposed,
  isBackup,
  isLegacy,
  memoryOf,
  type PodVolume,
  repositoryTypeOf,
} from "./pod_volume.ts";
import { doneFileOf, RESOURCE_TIMEOUT } from "./pod_volume_task.ts";

/** What was found for an object that has not been accepted. */
export interface Surroundings {
  readonly object: PodVolume;
  readonly location: BackupStorageLocation | undefined;
  readonly repository: FoundRepository;
  readonly pod: Pod | undefined;
  /** The PersistentVolume of the pod's volume, where it has one, and its PVC. */
  readonly persistent?:
    | {
        readonly name: string;
        readonly spec: PersistentVolumeSpec;
        readonly claim: NonNullable<Exposed["claim"]>;
      }
    | undefined;
  readonly podsFolder?: string | undefined;
}

/** What a mover needs: all that is left is a slot. */
export interface Prospect {
  readonly exposed: Exposed;
  readonly storage: Storage;
  readonly repository: BackupRepository | undefined;
}

/** The init container that keeps a pod from starting until its volumes are restored, as Velero has called it. */
const WAITING_CONTAINERS = ["restore-wait", "restic-wait"];

type NotReady = Exclude<Readiness, { readonly type: "Ready" }>;

const refuse = (message: string): Result<never, NotReady> => err({ type: "Refuse", message });
const wait = (message: string, until?: number): Result<never, NotReady> =>
  err({ type: "Wait", message, ...(until === undefined ? {} : { until }) });

/** Pure: whether an object can be accepted, or what stands before it, the first of all. */
export function prospectOf(seen: Surroundings): Result<Prospect, NotReady> {
  const { object, location, repository } = seen;
  const { metadata, spec } = object;
  if (isBackup(object) && isLegacy(object))
    return refuse(
      "Only kopia makes backups, and this one asks for restic. Set the server's uploader to kopia.",
    );
  const patience = Date.parse(metadata.creationTimestamp) + RESOURCE_TIMEOUT;
  if (!location) return wait(`BackupStorageLocation ${spec.backupStorageLocation} does not exist.`, patience);
  if (isBackup(object) && location.spec.accessMode === "ReadOnly")
    return refuse(`BackupStorageLocation ${location.metadata.name} is read-only.`);
  const storage = storageOf(location, volumeNamespaceOf(object), repositoryTypeOf(object));
  if (!storage.ok) return refuse(storage.error);
  if (isLegacy(object) && !isAt(location, volumeNamespaceOf(object), spec.repoIdentifier))
    return refuse(
      `The repository ${spec.repoIdentifier} is not where BackupStorageLocation ${location.metadata.name} has those of restic. Movers reach no other place.`,
    );
  const exposed = isBackup(object) ? ofBackup(seen) : ofRestore(seen, object);
  if (!exposed.ok) return exposed;
  // One of restic's is never created here: it is in the storage, or the mover says that it is not.
  if (isLegacy(object) && repository.type === "Missing")
    return ok({ exposed: exposed.value, storage: storage.value, repository: undefined });
  const problem = repositoryProblem(repository);
  if (problem) return problem.fatal ? refuse(problem.message) : wait(problem.message, patience);
  if (repository.type !== "Found") return wait("The repository is not there yet.", patience);
  return ok({ exposed: exposed.value, storage: storage.value, repository: repository.object });
}

/** The namespace that the data is from: its repository is named after it. */
export function volumeNamespaceOf(object: PodVolume): string {
  return (isBackup(object) ? object.spec.pod.namespace : object.spec.sourceNamespace) ?? "";
}

function ofBackup(seen: Surroundings): Result<Exposed, NotReady> {
  const { pod } = seen;
  const spec = seen.object.spec as { readonly node: string };
  const name = podName(seen);
  if (!pod || isOther(seen)) return refuse(`Pod ${name} does not exist any more.`);
  if (pod.spec?.nodeName !== spec.node)
    return refuse(`Pod ${name} is on node ${pod.spec?.nodeName ?? "none"}, and not on ${spec.node}.`);
  if (pod.status?.phase !== "Running" || pod.metadata.deletionTimestamp)
    return refuse(`Pod ${name} is not running, so that its volumes are not mounted.`);
  return exposedAt(seen, spec.node);
}

function ofRestore(seen: Surroundings, restore: PodVolumeRestore): Result<Exposed, NotReady> {
  const { pod } = seen;
  const { spec } = restore;
  const name = podName(seen);
  if (doneFileOf(restore) === undefined)
    return refuse(
      `The PodVolumeRestore names no Restore, so that no mark could let pod ${name} go. Set the label ${LABELS.restoreUID} to the UID that its init container waits for.`,
    );
  // A pod that is named with its UID has been there: another one of its name is not meant.
  if (!pod && spec.pod.uid) return refuse(`Pod ${name} does not exist any more.`);
  if (!pod) return wait(`Waiting for pod ${name} to be created.`);
  if (isOther(seen)) return refuse(`Pod ${name} was replaced by another of the same name.`);
  const node = pod.spec?.nodeName;
  const container = pod.spec?.initContainers?.find((one) => WAITING_CONTAINERS.includes(one.name));
  if (!container)
    return refuse(`Pod ${name} has no init container ${WAITING_CONTAINERS[0]}, which waits for the data.`);
  const state = pod.status?.initContainerStatuses?.find((one) => one.name === container.name)?.state;
  if (state?.terminated)
    return refuse(
      `Init container ${container.name} of pod ${name} has ended, so that the pod uses its volumes.`,
    );
  if (node === undefined) return wait(`Waiting for pod ${name} to be scheduled.`);
  if (!state?.running) return wait(`Waiting for init container ${container.name} of pod ${name} to start.`);
  if (spec.snapshotID === "") return refuse("The PodVolumeRestore names no snapshot.");
  return exposedAt(seen, node);
}

function exposedAt(seen: Surroundings, node: string): Result<Exposed, NotReady> {
  const { object, pod, persistent, podsFolder } = seen;
  if (!pod) return wait(`Waiting for pod ${podName(seen)}.`);
  const path = hostPathOf({ pod, volume: object.spec.volume, persistent, podsFolder });
  if (!path.ok) return refuse(path.error);
  const goes = goesWithPod(pod, object.spec.volume) ? { goesWithPod: true as const } : {};
  const of = persistent ? { claim: persistent.claim } : {};
  return ok({ node, hostPath: path.value, ...goes, ...of });
}

function isOther({ pod, object }: Surroundings): boolean {
  const { uid } = object.spec.pod;
  return uid !== undefined && pod !== undefined && pod.metadata.uid !== uid;
}

/**
 * Whether the kubelet may have taken a volume away from where its pod had it: the pod is gone, going, over, or another
 * one. What is in its place then is an empty folder of the node.
 */
export function isUnmounted({ hostPath }: Exposed, pod: Pod | undefined): boolean {
  if (!pod || pod.metadata.deletionTimestamp !== undefined) return true;
  const { phase } = pod.status ?? {};
  return phase === "Succeeded" || phase === "Failed" || !hostPath.includes(`/${pod.metadata.uid}/`);
}

/**
 * Whether the pod of a volume has to be there now. A mover keeps the volume that it was given, though the pod goes: so it
 * is enough that the pod is there before the mover is told to start. Only what the pod itself holds needs it until the end.
 */
export function needsPod(object: PodVolume, task: Pick<TaskState, "phase">): boolean {
  const { exposed, run } = memoryOf(object);
  if (task.phase === "Ended") return exposed?.goesWithPod === true;
  return task.phase === "Working" && run?.signalled !== true && !isCancelled(object);
}

/** Whether the PVC of a volume is gone. One that is being deleted holds its PersistentVolume until it is. */
export function isClaimGone({ claim }: Exposed, found: KubeObject | undefined): boolean {
  return claim !== undefined && claim.uid !== found?.metadata.uid;
}

function podName({ object }: Surroundings): string {
  const { namespace, name } = object.spec.pod;
  return `${namespace}/${name}`;
}
