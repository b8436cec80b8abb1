import type { PlannedRepository } from "../../../core/backup/plan.ts";
import { act } from "../../../core/reconcile/act.ts";
import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { readinessChanged } from "../../../core/reconcile/readiness_changed.ts";
import { recordHoldersOf } from "../../../core/reconcile/record_holders_of.ts";
import { withEarlier } from "../../../core/reconcile/task_plan.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { RESTORE_INTO_STORE, storeViolation } from "../../../core/repository/store_violation.ts";
import { decideRestore } from "../../../core/restore/decide_restore.ts";
import { earlierTasks, observeRestore } from "../../../core/restore/observe_restore.ts";
import type { RepositoryRef } from "../../../core/restore/restore.ts";
import { decideRestoreDeletion, observeRestoreDeletion } from "../../../core/restore/restore_deletion.ts";
import type { FoundRepository, KnownRestore, RestorePorts } from "../../../core/restore/restore_ports.ts";
import { isWriting } from "../../../core/restore/restore_stage.ts";
import { namesClaim } from "../../../core/workloads/scaling/names_claim.ts";
import {
  type ResticRestore,
  resticRestoreResource,
} from "../../../kinds/autorestore/generated/restic_restore.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { isNamespaceGoing, whenNamespaceGoes } from "../../../kube/cache/namespaces.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { specChanged } from "../../../kube/controller/spec_changed.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { backupBefore } from "../backup/claim_wait.ts";
import { BY_BACKUP, BY_CLAIM, BY_REPOSITORY, claimKeyOf, isUnended, restoreClaimKeyOf } from "../caches.ts";
import type { AutorestorePorts } from "../ports.ts";
import { useRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import { allowedRepositories } from "./allowed_repositories.ts";
import { coreRestore, RESTORES, shownRestore, withWayOut } from "./core_restore.ts";
import { lostClaim, repositoriesOf, restoreSource } from "./restore_source.ts";

/** Brings snapshots back into PVCs, with the workloads that use them held back meanwhile. */
export function restoreController(ports: AutorestorePorts): Controller {
  const { restores, backups, repositories, claims, namespaces } = ports.caches;
  const open = (found: readonly ResticRestore[]) => found.filter(isUnended).map(keyOf);
  const restoring = restorePorts(ports);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "autorestore-restore",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, restoring, key, signal),
  })
    .watch(restores)
    .watch(restores, {
      when: phaseOrSpecChanged,
      keys: (change) => open(restores.indexed(BY_CLAIM, restoreClaimKeyOf(lastSeen(change)))),
    })
    // Of its own, and those that work on its PVC.
    .watch(backups, {
      when: phaseOrSpecChanged,
      keys: (change) =>
        open([
          ...restores.indexed(BY_BACKUP, change.key),
          ...restores.indexed(BY_CLAIM, claimKeyOf(lastSeen(change))),
        ]),
    })
    .watch(claims, { keys: ({ key }) => open(restores.indexed(BY_CLAIM, key)) })
    .watch(repositories, {
      when: readinessChanged,
      keys: ({ key }) => open(restores.indexed(BY_REPOSITORY, key)),
    })
    .watch(namespaces, whenNamespaceGoes(restores));
  for (const workloads of ports.workloads) {
    controller.watch(workloads, {
      when: specChanged,
      keys: (change) => {
        const workload = lastSeen(change);
        const { namespace } = workload.metadata;
        const uses = ({ metadata, spec }: ResticRestore) =>
          metadata.namespace === namespace && namesClaim(workload, spec.targetPVC);
        return open([...restores.values()].filter(uses));
      },
      awaited: false,
    });
  }
  ports.tasks.wake(controller, resticRestoreResource);
  ports.queues.recordHolders(recordHoldersOf(restores, controller));
  return controller;
}

async function reconcile(
  ports: AutorestorePorts,
  restoring: RestorePorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const object = ports.caches.restores.get(key);
  if (!object) return done;
  const known = knownRestore(ports, object);
  const { restore } = known;
  const decided = object.metadata.deletionTimestamp
    ? decideRestoreDeletion(await observeRestoreDeletion(restoring, restore, signal))
    : await decide(restoring, known, signal);
  const { status, ...rest } = decided;
  const decision = { ...rest, ...(status ? { status: shownRestore(status) } : {}) };
  return act(ports, { resource: resticRestoreResource, object }, decision, signal);
}

async function decide(restoring: RestorePorts, known: KnownRestore, signal: AbortSignal) {
  const observed = await observeRestore(restoring, known, signal);
  const earlier = await earlierTasks(restoring, known, observed, signal);
  return withEarlier(decideRestore(observed), earlier);
}

function knownRestore(ports: AutorestorePorts, object: ResticRestore): KnownRestore {
  const { backups, claims, restores } = ports.caches;
  const { namespace, uid } = object.metadata;
  const { backupName } = object.spec;
  const backup = backupName === undefined ? undefined : backups.get(keyOf({ namespace, name: backupName }));
  const restore = coreRestore(object);
  const begun = isWriting(restore) || restore.status?.phase === "Completed";
  const lost = begun ? undefined : lostClaim(object, claims.get(restoreClaimKeyOf(object)));
  const allowed = allowedRepositories(ports.caches, object, repositoriesOf(object, backup));
  return {
    restore,
    ...(allowed.length > 0 ? { ownStatus: { allowed } } : {}),
    source: ({ pinned }) =>
      lost ? { resolution: err(lost) } : restoreSource({ restore: object, pinned, backup }),
    targetProblem: () => storeProblem(ports, object) ?? backupBefore(ports, restoreClaimKeyOf(object), uid),
    repository: (ref, signal) => repositoryFor(ports, { object, allowed }, ref, signal),
    everInto: () => restores.indexed(BY_CLAIM, restoreClaimKeyOf(object)).map(coreRestore),
    intoSameClaim: () =>
      restores.indexed(BY_CLAIM, restoreClaimKeyOf(object)).filter(isUnended).map(coreRestore),
  };
}

/** The webhook may have been away, or the repository made after the ResticRestore. */
function storeProblem(
  { storesIn }: AutorestorePorts,
  { metadata, spec }: ResticRestore,
): Problem | undefined {
  const { namespace = "" } = metadata;
  const told = { field: "spec.targetPVC", ...RESTORE_INTO_STORE };
  const name = spec.targetPVC;
  const violation = storeViolation({ namespace, name }, storesIn(namespace).get(name), told);
  return violation && problemOf(violation);
}

async function repositoryFor(
  ports: AutorestorePorts,
  { object, allowed }: { readonly object: ResticRestore; readonly allowed: readonly PlannedRepository[] },
  { name, namespace }: RepositoryRef,
  signal: AbortSignal,
): Promise<Result<FoundRepository, Problem>> {
  const { namespace: home = "" } = object.metadata;
  const key = keyOf({ namespace: namespace ?? home, name });
  const planned = allowed.find((one) => keyOf(one) === key);
  const { repository, ready } = useRepository(ports.caches, key, restoreClaimKeyOf(object), planned);
  if (ready.ok) return ok({ ready, context: await runContextOf(ports, ready.value, home, signal) });
  const problem = withWayOut(object, ready.error);
  if (!repository) return err(problem);
  return ok({ ready: err(problem), context: await runContextOf(ports, repository, home, signal) });
}

/** Claims that name a ResticRestore as their data source are not filled. */
export function restorePorts(ports: AutorestorePorts): RestorePorts {
  const { claims, namespaces, restores } = ports.caches;
  return {
    ...ports,
    api: RESTORES,
    claims,
    restore: (key) => {
      const object = restores.get(key);
      return object && knownRestore(ports, object);
    },
    claimsNaming: () => [],
    primesFrom: () => [],
    populationProblem: () => undefined,
    isGoing: (name) => isNamespaceGoing(namespaces, name),
  };
}
