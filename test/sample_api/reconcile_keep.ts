import type { BackupObject, BackupRequest, BackupState } from "../../src/core/backup/backup.ts";
import { decideBackup } from "../../src/core/backup/decide_backup.ts";
import { type BackupLookup, observeBackup } from "../../src/core/backup/observe_backup.ts";
import { act } from "../../src/core/reconcile/act.ts";
import type { Decision } from "../../src/core/reconcile/decision.ts";
import { conditionsFor, readyStateOf, wakeFor } from "../../src/core/reconcile/ready_state.ts";
import { recordsOf } from "../../src/core/reconcile/records.ts";
import type { OwnerState } from "../../src/core/reconcile/run_owner.ts";
import { carryOut } from "../../src/core/reconcile/task_plan.ts";
import { connectTask } from "../../src/core/repository/connect_task.ts";
import { planTask, runContext } from "../../src/core/repository/plan_task.ts";
import type { Repository } from "../../src/core/repository/repository.ts";
import type { RunContext } from "../../src/core/repository/task_for.ts";
import { decideRestore } from "../../src/core/restore/decide_restore.ts";
import { observeRestore } from "../../src/core/restore/observe_restore.ts";
import { reconcileRestore } from "../../src/core/restore/reconcile_restore.ts";
import { RefusedClaims } from "../../src/core/restore/reserving.ts";
import type { Restore, RestoreApi, RestoreState } from "../../src/core/restore/restore.ts";
import type { KnownRestore, RestorePorts } from "../../src/core/restore/restore_ports.ts";
import { primeSource } from "../../src/core/volumes/populator/population_marks.ts";
import { done, type Outcome } from "../../src/kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { ok } from "../../src/lib/result.ts";
import { GROUP, type Keep, type KeepStatus, keepResource } from "./keep.ts";
import type { KeepPorts } from "./sample_api.ts";

/** Keeps the object until its runs have ended. Its snapshot stays. */
export const FINALIZER = `${GROUP}/runs`;

const TRIES = { backoffLimit: 2, activeDeadlineSeconds: 600 };
const PRIVILEGED = { privilegedMode: true };
const CAREFUL = { existingFiles: "Refuse", enableFileDeletion: false } as const;
const OPTIONS = { ...CAREFUL, writeFilesAtomically: true, sparse: true };

/** Connects to the repository, backs the claim up, and restores it: one after the other. */
export async function reconcileKeep(ports: KeepPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const keep = ports.keeps.get(key);
  const going = !keep || keep.metadata.deletionTimestamp !== undefined;
  const restoring = restorePorts(ports);
  // What a restore began goes before the object.
  if (going && restoring.primesFrom(key).length > 0) {
    return reconcileRestore(restoring, new RefusedClaims(), key, signal);
  }
  if (!keep) return done;
  const target = { resource: keepResource, object: keep };
  if (going) {
    return act(
      ports,
      target,
      { intents: [{ type: "EndRuns" }, { type: "LetGo", finalizer: FINALIZER }] },
      signal,
    );
  }
  const { namespace = "" } = keep.metadata;
  const home = ports.namespaces.get(keyOf({ name: namespace }));
  const context = await runContext(ports, { repository: repositoryOf(keep), namespace, home }, signal);
  return act(ports, target, await nextStep(ports, keep, context, signal), signal);
}

function nextStep(ports: KeepPorts, keep: Keep, context: RunContext, signal: AbortSignal) {
  const { status, spec } = keep;
  if (!status?.repositoryID) return connect(ports, keep, context, signal);
  if (!status.restore && (status.backup?.phase !== "Succeeded" || !spec.restoreAs)) {
    return backUp(ports, keep, context, signal);
  }
  return restore(ports, keep, context, signal);
}

/** The repository that a Keep describes, as the engine room knows repositories. */
function repositoryOf({ apiVersion, kind, metadata, spec, status }: Keep): Repository {
  return {
    apiVersion,
    kind,
    metadata,
    spec: {
      engine: "kopia",
      backend: { filesystem: { pvc: { name: spec.store.claim }, path: "/" } },
      encryption: { passwordSecretRef: { name: spec.store.secret, key: "password" } },
      create: { enabled: true },
      moverDefaults: PRIVILEGED,
      concurrency: { maxRuns: 1 },
    },
    ...(status?.repositoryID ? { status: { phase: "Ready", uniqueID: status.repositoryID } } : {}),
  };
}

async function connect(
  ports: KeepPorts,
  keep: Keep,
  context: RunContext,
  signal: AbortSignal,
): Promise<Decision<KeepStatus>> {
  const task = connectTask(context, keepResource, "connect");
  const plan = await planTask(ports, { task, status: keep.status }, signal);
  const now = ports.clock.now();
  if (!plan.ok) {
    const conditions = conditionsFor(keep, readyStateOf(plan.error), [], now);
    return {
      status: { ...keep.status, phase: "Connecting", conditions },
      intents: [],
      wakeAt: wakeFor(plan.error, now),
    };
  }
  const { record, state } = plan.value.decision;
  const id = state.phase === "Ended" ? state.result?.repository?.id : undefined;
  return {
    ...carryOut(plan.value),
    status: {
      ...keep.status,
      phase: state.phase === "Ended" && !id ? "Failed" : "Connecting",
      work: { ...recordsOf(keep.status), connect: record },
      ...(id ? { repositoryID: id } : {}),
    },
  };
}

/** What the engine room shares between a backup and a restore of one object. */
function shared({ status }: Keep): Pick<OwnerState, "work" | "conditions"> {
  const { work, conditions } = status ?? {};
  return { ...(work ? { work } : {}), ...(conditions ? { conditions } : {}) };
}

async function backUp(ports: KeepPorts, keep: Keep, context: RunContext, signal: AbortSignal) {
  const object: BackupObject = { ...keep, status: { ...keep.status?.backup, ...shared(keep) } };
  const observed = await observeBackup(
    ports,
    backupRequest(keep, object),
    { lookup: lookupOf(context), cancelled: false },
    signal,
  );
  const decision = decideBackup({ backup: object, ...observed, now: ports.clock.now() });
  return told(keep, decision, "backup");
}

function backupRequest({ metadata, spec, status }: Keep, object: BackupObject): BackupRequest {
  const { namespace = "", name, uid } = metadata;
  return {
    owner: { resource: keepResource, object },
    plan: {
      repository: { name, namespace, uid, uniqueID: status?.repositoryID ?? "" },
      engine: "kopia",
      deletionPolicy: "Retain",
      sources: [{ pvc: `${namespace}/${spec.claim}`, sourcePath: `/${spec.claim}` }],
      identity: { username: name, hostname: namespace },
      settings: { policy: { unreadableFiles: "Fail" }, failurePolicy: TRIES },
    },
    failurePolicy: TRIES,
    tenant: name,
    hold: { finalizer: FINALIZER, labels: {} },
  };
}

const lookupOf = (context: RunContext): BackupLookup => ({
  ready: ok(context.repository),
  context: async () => context,
  withdrawn: undefined,
  writerOf: () => undefined,
  namedRuns: () => [],
  late: () => ({ doubted: false, uncertain: undefined, reader: () => undefined }),
});

const RESTORES: RestoreApi = {
  resource: keepResource as unknown as Resource<Restore>,
  finalizer: FINALIZER,
  words: {
    snapshot: "another Keep",
    moment: "another Keep",
    point: "another Keep",
    startEmpty: "a claim of your own",
    newClaim: "restoreAs",
    existingClaim: "restoreAs",
    scaleDown: "kubectl scale",
    scaleUpOnFailure: "kubectl scale",
    confirmDeletion: "nothing: it deletes none",
    privileges: "the namespace's annotation",
    losses: "status.restore.losses",
    scaledWorkloads: "status.restore",
  },
  limit: () => undefined,
};

/** Claims that name a Keep are none of its business; the prime claims that it fills are. */
function restorePorts({ claims, namespaces, ...room }: KeepPorts): RestorePorts {
  return {
    ...room,
    claims,
    api: RESTORES,
    restore: () => undefined,
    claimsNaming: () => [],
    primesFrom: (key) => [...claims.values()].filter((one) => primeSource(one, keepResource) === key),
    populationProblem: () => undefined,
    isGoing: (name) => namespaces.get(keyOf({ name }))?.metadata.deletionTimestamp !== undefined,
  };
}

async function restore(ports: KeepPorts, keep: Keep, context: RunContext, signal: AbortSignal) {
  const object = restoreObject(keep);
  const known: KnownRestore = {
    restore: object,
    source: ({ pinned }) => ({ resolution: ok({ type: "Pinned", pinned: pinned ?? pinnedOf(keep) }) }),
    repository: async () => ok({ context, ready: ok(undefined) }),
    intoSameClaim: () => [object],
  };
  const decision = decideRestore(await observeRestore(restorePorts(ports), known, signal));
  return told(keep, decision, "restore");
}

function restoreObject(keep: Keep): Restore {
  const { claim = "", capacity = "" } = keep.spec.restoreAs ?? {};
  return {
    ...keep,
    spec: {
      target: { pvc: { name: claim, capacity, accessModes: ["ReadWriteOnce"] } },
      options: OPTIONS,
      policy: { waitTimeout: "5m" },
      failurePolicy: TRIES,
    },
    status: { ...keep.status?.restore, ...shared(keep) },
  };
}

function pinnedOf({ apiVersion: _, kind, metadata, status }: Keep) {
  const { name, namespace = "", uid } = metadata;
  const [made] = status?.backup?.snapshots ?? [];
  return {
    repository: { kind, name, namespace, uid, uniqueID: status?.repositoryID ?? "" },
    ...(made ? { ...made, snapshotID: made.id } : {}),
  };
}

type Ends = Readonly<Record<string, KeepStatus["phase"]>>;
const ENDS: Ends = { Succeeded: "BackedUp", Completed: "Restored", Failed: "Failed" };
const MEANWHILE = { backup: "BackingUp", restore: "Restoring" } as const;

/** What the engine room decided, under the names of this API. */
function told(
  keep: Keep,
  decision: Decision<BackupState | RestoreState>,
  part: "backup" | "restore",
): Decision<KeepStatus> {
  const { status, ...rest } = decision;
  if (!status) return rest;
  const { work = {}, conditions = [], ...own } = status;
  const phase = ENDS[status.phase ?? ""] ?? MEANWHILE[part];
  return { ...rest, status: { ...keep.status, phase, work, conditions, [part]: own } };
}
