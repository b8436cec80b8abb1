import type { KubeObject, ObjectMeta } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { REPORT_VERSION, type Result } from "../../wire/report.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import type { Repository, RepositorySpec } from "../repository/repository.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { RunTask } from "../work/run_request.ts";
import type { TaskDecision, TaskState } from "../work/task_decision.ts";

/* Objects of an API that is nobody's, and runs as they are observed, for the tables of the engine room's rules. */

export const NOW = Date.parse("2026-05-24T02:13:00Z");
export const AT = "2026-05-24T02:13:00Z";
export const SETTINGS = { moverImage: "holdfast/mover:1" };
export const GROUP = "backups.example.org";
export const API_VERSION = `${GROUP}/v1`;

export function meta(name: string, more: Partial<ObjectMeta> = {}): ObjectMeta {
  return {
    name,
    namespace: "billing",
    uid: `uid-${name}`,
    resourceVersion: "1",
    generation: 1,
    creationTimestamp: "2026-05-24T00:00:00Z",
    ...more,
  };
}

const BACKUP = { group: GROUP, version: "v1", kind: "Backup", plural: "backups", namespaced: true };
export const BACKUPS: Resource<Owner> = BACKUP;
export const REPOSITORIES: Resource<Repository> = { ...BACKUP, kind: "Repository", plural: "repositories" };

export const CLUSTER_REPOSITORIES: Resource<Repository> = {
  ...BACKUP,
  kind: "ClusterRepository",
  plural: "clusterrepositories",
  namespaced: false,
};

export interface Owner extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** An object that wants something done. */
export function backup({ metadata, spec, status }: Sample<object, object> = {}): Owner {
  return {
    apiVersion: API_VERSION,
    kind: "Backup",
    metadata: meta("first", metadata),
    spec: { ...spec },
    ...(status ? { status } : {}),
  };
}

const REPOSITORY_SPEC: RepositorySpec = {
  engine: "kopia",
  backend: { filesystem: { pvc: { name: "store" }, path: "/" } },
  encryption: { passwordSecretRef: { name: "creds", key: "KOPIA_PASSWORD" } },
  create: { enabled: true },
  concurrency: { maxRuns: 4 },
};

export interface Sample<Spec, Status> {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<Spec>;
  readonly status?: Status;
}

export function repository({ metadata, spec, status }: Sample<RepositorySpec, object> = {}): Repository {
  return {
    apiVersion: API_VERSION,
    kind: "Repository",
    metadata: meta("nas", metadata),
    spec: { ...REPOSITORY_SPEC, ...spec },
    ...(status ? { status } : {}),
  };
}

export const readyNas = (sample: Sample<RepositorySpec, object> = {}) =>
  repository({ ...sample, status: { phase: "Ready", uniqueID: "id-1", ...sample.status } });

/** Of the whole cluster, with its Secrets in namespace platform, for namespaces billing and shop. */
export function clusterRepository({
  metadata,
  spec,
  status,
}: Sample<RepositorySpec, object> = {}): Repository {
  const { namespace: _, ...own } = meta("shared", metadata);
  const secret = { name: "shared-creds", namespace: "platform" };
  return {
    apiVersion: API_VERSION,
    kind: "ClusterRepository",
    metadata: own,
    spec: {
      ...REPOSITORY_SPEC,
      backend: { s3: { bucket: "backups", addressing: "Auto", auth: { secretRef: secret } } },
      encryption: { passwordSecretRef: { ...secret, key: "KOPIA_PASSWORD" } },
      allowedNamespaces: { list: ["billing", "shop"] },
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

export function task(purpose: string): RunTask {
  return {
    purpose,
    namespace: "billing",
    owner: { apiVersion: API_VERSION, kind: "Backup", name: "first", uid: "uid-first" },
    work: {
      engine: "kopia",
      repository: { backend: { filesystem: { path: "/holdfast/repository" } } },
      work: { check: {} },
    },
    secrets: { password: { secret: "creds", key: "KOPIA_PASSWORD" } },
    mover: { image: SETTINGS.moverImage },
  };
}

/** A task in this state. */
export function taskPlan(
  purpose: string,
  state: TaskState,
  more: {
    readonly record?: Partial<RunRecord>;
    readonly intents?: TaskDecision["intents"];
    readonly wakeAt?: number;
  } = {},
): TaskPlan {
  const { intents = [], wakeAt } = more;
  const record = { ...FIRST_ATTEMPT, ...recordedOf(state), ...more.record };
  return {
    task: task(purpose),
    decision: { record, state, intents, ...(wakeAt === undefined ? {} : { wakeAt }) },
  };
}

/** What the record of a task in this state says of it. */
function recordedOf(state: TaskState): Partial<RunRecord> {
  if (state.phase === "Ended") return { outcome: state.outcome };
  return state.phase === "BackingOff" ? { lastFailure: state.failure, notBefore: state.until } : {};
}

export function result(more: Partial<Result> = {}): Result {
  return {
    version: REPORT_VERSION,
    run: "run-1",
    startedAt: "2026-05-24T02:12:00.500Z",
    endedAt: "2026-05-24T02:12:30.000Z",
    repository: { id: "id-1", created: false },
    ...more,
  };
}

export function succeeded(answer: Result["answer"], more: Partial<Result> = {}): TaskState {
  return {
    phase: "Ended",
    outcome: "Succeeded",
    result: result({ ...(answer ? { answer } : {}), ...more }),
    logTail: [],
    settled: false,
  };
}

export const UNREACHABLE = {
  class: "Unreachable",
  message: "the server does not answer",
  remedy: "Check it.",
} as const;

export const WRONG_PASSWORD = {
  class: "WrongPassword",
  message: "the password is wrong",
  remedy: "Correct it.",
} as const;

export function failed(failure: NonNullable<Result["failure"]>): TaskState {
  return {
    phase: "Ended",
    outcome: "Failed",
    result: result({ failure }),
    logTail: ["last line"],
    settled: false,
  };
}

export const working = {
  phase: "Working",
  run: "run-1",
  state: { phase: "Running", pod: "pod-1", logTail: [], terminating: false },
} as const satisfies TaskState;

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    id: "k1",
    identity: { username: "data", hostname: "billing", path: "/pvc/data" },
    run: "run-1",
    tags: {},
    startedAt: "2026-05-24T02:12:00Z",
    root: "root-1",
    files: 3,
    folders: 1,
    bytes: 300,
    fidelity: "Full",
    ...more,
  };
}
