import type { OwnerReference } from "../../kube/object.ts";
import type { WorkSpec } from "../../wire/work.ts";
import type { MoverSettings } from "./mover_settings.ts";
import { type RunPurpose, runId } from "./run_id.ts";
import type { RunSecrets } from "./run_secrets.ts";

/** One attempt at a piece of work: everything that its Job is made from. */
export interface RunRequest {
  /** From `runId`. Names the Job and its ConfigMap, and tags whatever is made in the repository. */
  readonly id: string;
  readonly namespace: string;
  /** The object that wants the work, in the same namespace or without one: the Job goes with it. */
  readonly owner: OwnerReference;
  /** The repository that it works on, by the UID of its object: how much is done there at once is counted by this. */
  readonly pool?: string;
  /** For the Job and its pod, beside our own. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly work: RunWork;
  readonly secrets: RunSecrets;
  readonly volumes?: readonly RunVolume[];
  /** Only for APIs that declare it, and with a mover that is bound to one node. */
  readonly hostVolume?: HostVolume;
  /** Holds a repository in a file system, at POD_LAYOUT.repository. */
  readonly repositoryVolume?: RepositoryVolume;
  readonly mover: MoverSettings;
  /** The mover's command line. Default: none, its work spec says it all. */
  readonly args?: readonly string[];
  /**
   * Seconds from the Job's start after which it is ended from outside. The mover's own `deadlineSeconds` should come
   * first, since then it reports. Default: none.
   */
  readonly activeDeadlineSeconds?: number;
}

/** What the mover is told; version and run are added. */
export type RunWork = Omit<WorkSpec, "version" | "run">;

/** A piece of work, however many attempts it takes. */
export interface RunTask extends Omit<RunRequest, "id" | "activeDeadlineSeconds"> {
  readonly purpose: RunPurpose;
  /** What later attempts do, where the first may have left something behind. Default: the same. */
  readonly workAgain?: RunWork;
  /** Its mover is prepared, and starts once `TaskView.start` says so. Only for APIs that declare it. Default false. */
  readonly startsBySignal?: boolean;
  /** How long a prepared mover waits. Default 1800. How long a pod takes to come up is not limited by this. */
  readonly prepareTimeoutSeconds?: number;
}

export interface RunVolume {
  /** A DNS label, unique within the request. */
  readonly name: string;
  /** A PersistentVolumeClaim of the request's namespace. */
  readonly claim: string;
  readonly readOnly: boolean;
  /**
   * Default: a folder of its name below POD_LAYOUT.volumes. An engine that cannot record another path than the
   * mounted one needs the identity's path here.
   */
  readonly mountPath?: string;
  /** Made for this work alone, and nobody's yet: the mover's group may be given it. Default false. */
  readonly fresh?: boolean;
}

/** The folder of one volume on the mover's node, such as one that a pod there has mounted. */
export interface HostVolume extends Omit<RunVolume, "claim" | "fresh"> {
  /** The folder in which the kubelet has mounted the volume for a pod. */
  readonly hostPath: string;
  /** Whether the mover sees what is mounted there later. Default: where it only reads. */
  readonly mountPropagation?: "None" | "HostToContainer";
}

export type RepositoryVolume =
  | { readonly claim: string; readonly readOnly?: boolean }
  | { readonly hostPath: string; readonly readOnly?: boolean };

/** The request of one attempt, counted from 1. */
export function attemptOf(task: RunTask, attempt: number): RunRequest {
  const { purpose, workAgain, startsBySignal, prepareTimeoutSeconds, ...request } = task;
  const work = attempt > 1 && workAgain ? workAgain : task.work;
  const prepared = {
    startsBySignal: true,
    ...(prepareTimeoutSeconds === undefined ? {} : { prepareTimeoutSeconds }),
  };
  return {
    ...request,
    id: runId({ owner: task.owner, purpose, attempt }),
    work: startsBySignal ? { ...work, ...prepared } : work,
  };
}
