import { ok } from "../../../lib/result.ts";
import type { CatalogAnswer } from "../../../wire/report.ts";
import {
  API_VERSION,
  AT,
  BACKUPS,
  GROUP,
  meta,
  NOW,
  type Sample,
  snapshot,
  succeeded,
  taskPlan,
} from "../../testing/samples.ts";
import { type Claim, MADE_FOR } from "../../volumes/claim_request.ts";
import { standIn } from "../../volumes/populator/first_step.ts";
import { primeMeta } from "../../volumes/populator/population_marks.ts";
import type { TaskState } from "../../work/task_decision.ts";
import { decideRestore } from "../decide_restore.ts";
import type { ObservedRestore } from "../observe_restore.ts";
import { claimRequest, type Restore, type RestoreApi, type RestoreSpec } from "../restore.ts";
import { RESTORE } from "../restore_tasks.ts";

/** How an API that is nobody's speaks of its restores. */
export const RESTORES: RestoreApi = {
  resource: { ...BACKUPS, kind: "Restore", plural: "restores" } as RestoreApi["resource"],
  finalizer: `${GROUP}/scaled-workloads`,
  words: {
    snapshot: "from.snapshot",
    moment: "from.moment",
    point: "moment and offset",
    startEmpty: "startEmpty: true",
    newClaim: "into.new",
    existingClaim: "into.existing",
    scaleDown: "into.scaleDown: true",
    scaleUpOnFailure: "into.onFailure: ScaleUp",
    confirmDeletion: "confirmDeletion: true",
    privileges: "privileges",
    losses: "its losses",
    scaledWorkloads: "its list of workloads",
  },
  limit: () => undefined,
};

/** One into a new claim. */
export function restore({ metadata, spec, status }: Sample<RestoreSpec, object> = {}): Restore {
  return {
    apiVersion: API_VERSION,
    kind: "Restore",
    metadata: meta("again", metadata),
    spec: {
      target: { pvc: { name: "restored", capacity: "1Gi", accessModes: ["ReadWriteOnce"] } },
      options: {
        existingFiles: "Refuse",
        enableFileDeletion: false,
        ignorePermissionErrors: true,
        writeFilesAtomically: true,
        sparse: true,
      },
      policy: { waitTimeout: "5m" },
      failurePolicy: { backoffLimit: 2, activeDeadlineSeconds: 7200 },
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

/** The same, as a source for claims that name it. */
export function passive(sample: Sample<RestoreSpec, object> = {}): Restore {
  const whole = restore(sample);
  const { target: _, ...spec } = whole.spec;
  return { ...whole, spec };
}

/** A source of which only the repository knows the snapshot. */
export const ASK = {
  type: "Ask",
  repository: { kind: "Repository", name: "nas" },
  identity: { username: "data", hostname: "billing", path: "/pvc/data" },
  point: { offset: 0 },
  startEmpty: "Never",
} as const;

/** The run that asks for it, in this state. */
export const asking = (state: TaskState) => ok(taskPlan("ask-1", state));

/**
 * The repository's answer. `found`: of how many these are the newest. `later`: how many there are beside, that are younger.
 * `older`: how large the others were.
 */
export const catalog = (
  snapshots: readonly ReturnType<typeof snapshot>[],
  found = snapshots.length,
  later?: number,
  older?: CatalogAnswer["older"],
) =>
  succeeded({
    catalog: {
      stats: { snapshots: found, storedBytes: 1 },
      found,
      ...(later === undefined ? {} : { later }),
      snapshots,
      ...(older === undefined ? {} : { older }),
    },
  });

/** A claim of the namespace, without a volume. */
export function claimOf(metadata: object, spec: object = {}): Claim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: "born",
      namespace: "billing",
      uid: "uid-born",
      resourceVersion: "1",
      creationTimestamp: AT,
      ...metadata,
    },
    spec: { storageClassName: "fast", ...spec },
    status: { phase: "Pending" },
  };
}

/** The prime claim of the sample's new claim, with its volume. */
export function primeOf(more: object = {}): Claim {
  const { pvc } = restore().spec.target ?? {};
  if (!pvc) throw new Error("the sample has another target");
  const source = { resource: RESTORES.resource, name: "again", uid: "uid-again" };
  const meta = primeMeta(standIn(claimRequest(restore(), pvc)), source);
  return claimOf({ ...meta, uid: "uid-prime", ...more }, { volumeName: "pvc-uid-prime" });
}

/** What is restored, once that is decided. */
export const PINNED = {
  repository: { kind: "Repository", name: "nas", namespace: "billing" },
  identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
  snapshotID: "k1",
  pinnedAt: AT,
} as const;

/** The sample's new claim, made for this UID. */
export const claimFor = (uid: string, more: object = {}) =>
  claimOf({ name: "restored", uid: "uid-claim", annotations: { [MADE_FOR]: uid }, ...more });

/** The one that was made for the sample itself. */
export const ours = claimFor("uid-again");

/** What follows for the sample, whose source is decided, with this seen beside. */
export function decide(more: Partial<ObservedRestore> = {}) {
  const resolution = ok({ type: "Pinned", pinned: PINNED } as const);
  return decideRestore({ restore: restore(), api: RESTORES, resolution, scaled: [], now: NOW, ...more });
}

/** The run that writes the data, in this state. */
export const run = (state: TaskState, more: Parameters<typeof taskPlan>[2] = {}) =>
  ok(taskPlan(RESTORE, state, more));

/** A run that has no Job yet. */
export const begins = {
  phase: "Working",
  run: "run-1",
  state: { phase: "Absent" },
} as const satisfies TaskState;

export const heldBy = (reason: string): TaskState => ({ phase: "Held", reason, message: "m" });

/** What the mover says of a restore that brought all back. */
export const answer = {
  snapshot: snapshot(),
  files: 3,
  bytes: 300,
  fidelity: "Full",
  losses: [],
} as const;

export const conditionOf = ({ status }: Pick<ReturnType<typeof decide>, "status">, type: string) =>
  status?.conditions?.find((one) => one.type === type);
