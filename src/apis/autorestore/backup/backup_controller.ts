import { isCancelled } from "../../../core/backup/backup_annotations.ts";
import { decideBackup, type ObservedBackup } from "../../../core/backup/decide_backup.ts";
import { decideDeletion, type ObservedDeletion } from "../../../core/backup/decide_deletion.ts";
import type { BackupLookup } from "../../../core/backup/observe_backup.ts";
import { observeBackup } from "../../../core/backup/observe_backup.ts";
import { observeDeletion } from "../../../core/backup/observe_deletion.ts";
import type { BackupPlan } from "../../../core/backup/plan.ts";
import { SNAPSHOT } from "../../../core/backup/snapshot_task.ts";
import { act } from "../../../core/reconcile/act.ts";
import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import { blocked } from "../../../core/reconcile/problem.ts";
import { readinessChanged } from "../../../core/reconcile/readiness_changed.ts";
import { recordHoldersOf } from "../../../core/reconcile/record_holders_of.ts";
import { recordOf } from "../../../core/reconcile/records.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/autorestore/finalizers.ts";
import {
  type ResticBackup,
  resticBackupResource,
} from "../../../kinds/autorestore/generated/restic_backup.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { isNamespaceGoing, whenNamespaceGoes } from "../../../kube/cache/namespaces.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { err, ok } from "../../../lib/result.ts";
import { BY_CLAIM, BY_REPOSITORY, claimKeyOf, isUnended, repositoryKeyOf } from "../caches.ts";
import type { AutorestorePorts } from "../ports.ts";
import { useRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import { planOf, requestOf, resolvePlan } from "./backup_plan.ts";
import { coreBackup, shownBackup } from "./backup_status.ts";
import { backupViolations } from "./backup_violations.ts";
import { claimWait, isStarting, writerOf } from "./claim_wait.ts";
import { guardedRepository } from "./deletion_guard.ts";

/** Makes ResticBackups, and deletes the snapshot of one that is deleted. */
export function backupController(ports: AutorestorePorts): Controller {
  const { backups, restores, repositories, claims, namespaces } = ports.caches;
  const ofClaim = (key: ObjectKey) => backups.indexed(BY_CLAIM, key).filter(isUnended).map(keyOf);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "autorestore-backup",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(backups)
    // Who waits for the PVC is told when it is free.
    .watch(backups, {
      when: phaseOrSpecChanged,
      keys: (change) => ofClaim(claimKeyOf(lastSeen(change))),
    })
    .watch(restores, {
      when: phaseOrSpecChanged,
      keys: (change) => {
        const { metadata, spec } = lastSeen(change);
        return ofClaim(keyOf({ namespace: metadata.namespace, name: spec.targetPVC }));
      },
    })
    .watch(claims, { when: ({ type }) => type === "added", keys: ({ key }) => ofClaim(key) })
    .watch(repositories, {
      when: readinessChanged,
      keys: ({ key }) => backups.indexed(BY_REPOSITORY, key).map(keyOf),
    })
    .watch(namespaces, whenNamespaceGoes(backups));
  ports.tasks.wake(controller, resticBackupResource);
  ports.queues.recordHolders(recordHoldersOf(backups, controller));
  return controller;
}

async function reconcile(ports: AutorestorePorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const backup = ports.caches.backups.get(key);
  if (!backup) return done;
  if (lacksSnapshotID(backup)) {
    const patch = { spec: { snapshotID: backup.status?.snapshotID ?? "" } };
    await ports.client.patch(resticBackupResource, backup.metadata, { type: "merge", patch }, { signal });
    return done;
  }
  const decided = backup.metadata.deletionTimestamp
    ? decideDeletion(await observedDeletion(ports, backup, signal))
    : decideBackup(await observed(ports, backup, signal, isCancelled(backup)));
  const { status, ...rest } = decided;
  const decision = { ...rest, ...(status ? { status: shownBackup(backup.status, status) } : {}) };
  if (!isStarting(recordOf(decision.status ?? backup.status, SNAPSHOT))) {
    ports.turns.leave(claimKeyOf(backup), backup.metadata.uid);
  }
  return act(ports, { resource: resticBackupResource, object: backup }, decision, signal);
}

/** The document has it in the spec, too. */
function lacksSnapshotID({ metadata, spec, status }: ResticBackup): boolean {
  if (metadata.deletionTimestamp || status?.phase !== "Completed") return false;
  return status.snapshotID !== undefined && spec.snapshotID === undefined;
}

async function observed(
  ports: AutorestorePorts,
  backup: ResticBackup,
  signal: AbortSignal,
  cancelled: boolean,
): Promise<ObservedBackup> {
  const { caches, clock } = ports;
  const claim = claimKeyOf(backup);
  const use = useRepository(caches, repositoryKeyOf(backup), claim);
  const before = planOf(backup);
  const { namespace: home = "" } = backup.metadata;
  const [violation] = backupViolations(backup, ports.storesIn(home).get(backup.spec.pvcRef.name));
  const plan = before
    ? ok(before)
    : violation
      ? err(problemOf(violation))
      : resolvePlan(backup, { ready: use.ready, repository: use.object, claim: caches.claims.get(claim) });
  const now = clock.now();
  if (!plan.ok) return { backup: coreBackup(backup), request: plan, now };
  const { repository } = use;
  const { namespace = "" } = backup.metadata;
  const lookup: BackupLookup = {
    ready: use.ready,
    context: repository && (() => runContextOf(ports, repository, namespace, signal)),
    withdrawn: use.ready.ok ? await claimWait(ports, backup, signal) : undefined,
    writerOf: (key) => writerOf(caches, key),
    namedRuns: () => [],
    late: () => ({ doubted: false, uncertain: undefined, reader: () => undefined }),
  };
  const request = requestOf(backup, plan.value);
  const run = await observeBackup(ports, request, { lookup, cancelled }, signal);
  return { backup: request.owner.object, ...run, now };
}

async function observedDeletion(
  ports: AutorestorePorts,
  backup: ResticBackup,
  signal: AbortSignal,
): Promise<ObservedDeletion> {
  const { caches, clock } = ports;
  const namespaceGoing = isNamespaceGoing(caches.namespaces, backup.metadata.namespace);
  const policy = "Delete" as const;
  const seen = {
    backup: coreBackup(backup),
    finalizer: SNAPSHOT_CLEANUP,
    policy,
    namespaceGoing,
    now: clock.now(),
  };
  const plan = planOf(backup);
  if (!plan) return seen;
  const lookup = {
    policy,
    namespaceGoing,
    ending: () => observed(ports, backup, signal, true),
    held: () => {
      const repository = caches.repositories.get(keyOf(plan.repository));
      return repository && ports.deletionGuard.holds(backup, guardedRepository(repository));
    },
    repository: async () => deletionContext(ports, backup, plan, signal),
    ownersOf: () => [],
    referring: () => undefined,
  };
  return { ...seen, ...(await observeDeletion(ports, requestOf(backup, plan), lookup, signal)) };
}

function deletionContext(
  ports: AutorestorePorts,
  backup: ResticBackup,
  { repository: planned }: BackupPlan,
  signal: AbortSignal,
) {
  const { namespace = "" } = backup.metadata;
  // The PVC, and with it the claim, may be gone before its backups are.
  const { repository, ready } = useRepository(ports.caches, keyOf(planned), claimKeyOf(backup), planned);
  if (!repository) {
    const message = `ResticRepository ${keyOf(planned)} does not exist or cannot be used, so that the snapshot cannot be deleted. Put the ResticRepository right, or let the ResticBackup go without its snapshot with the annotation ${ANNOTATIONS.skipSnapshotCleanup}: "true".`;
    return err(blocked("RepositoryNotFound", message));
  }
  return ok({ ready, context: () => runContextOf(ports, repository, namespace, signal) });
}
