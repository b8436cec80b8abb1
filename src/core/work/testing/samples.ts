import type { ContainerState } from "kubernetes-types/core/v1.d.ts";
import type { Job, Pod } from "../../../kube/builtin.ts";
import type { OwnerReference } from "../../../kube/object.ts";
import type { EngineFailure } from "../../../wire/engine_error.ts";
import { ERROR_CLASSES, type ErrorClass } from "../../../wire/error_classes.ts";
import { REPORT_VERSION, type Result } from "../../../wire/report.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import { NOTHING_HEARD } from "../heard_report.ts";
import type { ObservedRun } from "../observed_run.ts";
import { runAnnotations, runLabels } from "../run_labels.ts";
import { attemptOf, type RunRequest, type RunTask } from "../run_request.ts";

export const sampleOwner: OwnerReference = {
  apiVersion: "example.com/v1",
  kind: "Keeper",
  name: "nightly",
  uid: "6f0e8c1c-0000-4000-8000-000000000001",
  controller: true,
  blockOwnerDeletion: false,
};

const identity = { username: "data", hostname: "shop", path: "/data" };

/** A backup of one volume to a repository on another. */
export const sampleTask: RunTask = {
  purpose: "snapshot",
  namespace: "shop",
  owner: sampleOwner,
  work: {
    engine: "kopia",
    repository: { backend: { filesystem: { path: "/holdfast/repository" } } },
    work: { snapshot: { sources: [{ name: "data", path: "/holdfast/volumes/data", identity }] } },
  },
  secrets: { password: { secret: "repository", key: "password" } },
  volumes: [{ name: "data", claim: "shop-data", readOnly: true }],
  repositoryVolume: { claim: "backups" },
  mover: { image: "mover:1" },
};

export const sampleRequest: RunRequest = attemptOf(sampleTask, 1);

export const JOB_UID = "job-1";

export function sampleJob(request: RunRequest = sampleRequest, changes: Partial<Job> = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    spec: { suspend: false, template: {} },
    ...changes,
    metadata: {
      name: request.id,
      namespace: request.namespace,
      uid: JOB_UID,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: runLabels(request),
      annotations: runAnnotations(request),
      ownerReferences: [request.owner],
      ...changes.metadata,
    },
  };
}

/** A Job that ended: `reason` as the Job controller has it. */
export function endedJob(reason: string, request: RunRequest = sampleRequest): Job {
  const type = reason === "CompletionsReached" ? "Complete" : "Failed";
  const condition = { type, status: "True", reason, lastTransitionTime: "2026-01-01T00:10:00Z" };
  return sampleJob(request, { status: { conditions: [condition] } });
}

export function samplePod(changes: Partial<Pod> = {}, request: RunRequest = sampleRequest): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    spec: { nodeName: "node-1", containers: [{ name: "mover", image: "mover:1" }] },
    ...changes,
    metadata: {
      name: `${request.id}-abcde`,
      namespace: request.namespace,
      uid: "pod-1",
      resourceVersion: "2",
      creationTimestamp: "2026-01-01T00:00:01Z",
      labels: runLabels(request),
      annotations: runAnnotations(request),
      ...changes.metadata,
    },
  };
}

/** A pod whose mover is in this state. */
export function podWith(state: ContainerState, phase: string, request: RunRequest = sampleRequest): Pod {
  const status = { name: "mover", image: "mover:1", imageID: "", ready: false, restartCount: 0, state };
  return samplePod({ status: { phase, containerStatuses: [status] } }, request);
}

export const runningPod = (request?: RunRequest): Pod =>
  podWith({ running: { startedAt: "2026-01-01T00:00:02Z" } }, "Running", request);

export function endedPod(
  exitCode: number,
  more: { readonly message?: string; readonly reason?: string } = {},
  request?: RunRequest,
): Pod {
  const times = { startedAt: "2026-01-01T00:00:02Z", finishedAt: "2026-01-01T00:05:00Z" };
  const terminated = { exitCode, ...times, ...more };
  return podWith({ terminated }, exitCode === 0 ? "Succeeded" : "Failed", request);
}

export function sampleResult(changes: Partial<Result> = {}, run: string = sampleRequest.id): Result {
  return {
    version: REPORT_VERSION,
    run,
    startedAt: "2026-01-01T00:00:02Z",
    endedAt: "2026-01-01T00:05:00Z",
    ...changes,
  };
}

export function failureOfClass(name: ErrorClass): EngineFailure {
  return { class: name, message: `failed: ${name}`, remedy: ERROR_CLASSES[name].remedy };
}

export function sampleSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    id: "k1",
    identity,
    run: sampleRequest.id,
    tags: {},
    startedAt: "2026-01-01T00:00:10Z",
    endedAt: "2026-01-01T00:01:00Z",
    root: "r1",
    fidelity: "Full",
    ...changes,
  };
}

export function observed(changes: Partial<ObservedRun> = {}, id: string = sampleRequest.id): ObservedRun {
  return { id, report: NOTHING_HEARD, events: [], ...changes };
}
