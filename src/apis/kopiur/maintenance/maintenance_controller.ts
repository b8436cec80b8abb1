import { decideMaintenance } from "../../../core/maintenance/decide_maintenance.ts";
import { sharedKeys, sharersOf } from "../../../core/maintenance/shared_repository.ts";
import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { readinessChanged } from "../../../core/reconcile/readiness_changed.ts";
import { recordHoldersOf } from "../../../core/reconcile/record_holders_of.ts";
import { withEarlier } from "../../../core/reconcile/task_plan.ts";
import { maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { clockSteps } from "../../../kube/controller/clock_steps.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { act } from "../act.ts";
import { BY_REPOSITORY } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { type AnyRepository, repositoryKey } from "../references.ts";
import { allRepositories, findRepository } from "../repository_use.ts";
import { defaultMaintenanceController } from "./default_controller.ts";
import { observeMaintenance } from "./observe_maintenance.ts";

/** Maintains repositories by schedule, and when somebody asks for it. */
export function maintenanceControllers(ports: KopiurPorts): readonly Runnable[] {
  const controller = maintaining(ports);
  const steps = clockSteps({
    name: "kopiur-maintenance-clock",
    clock: ports.clock,
    onStep: () => {
      for (const maintenance of ports.caches.maintenances.values()) controller.enqueue(keyOf(maintenance));
    },
  });
  return [controller, steps, defaultMaintenanceController(ports)];
}

function maintaining(ports: KopiurPorts): Controller {
  const { maintenances, repositories, clusterRepositories } = ports.caches;
  const ofRepositories = (keys: readonly ObjectKey[]) =>
    keys.flatMap((key) => maintenances.indexed(BY_REPOSITORY, key).map(keyOf));
  const ofChanged = (change: Change<AnyRepository>) =>
    ofRepositories(sharedKeys(allRepositories(ports.caches), change));
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-maintenance",
    concurrency: 4,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(maintenances)
    // When another one comes or goes, the one that gave way may have to take over.
    .watch(maintenances, {
      when: ({ type }) => type !== "updated",
      keys: (change) => {
        const { metadata, spec } = lastSeen(change);
        const key = repositoryKey(spec.repository, metadata.namespace ?? "");
        const repository = findRepository(ports.caches, key);
        const sharers = repository ? sharersOf(allRepositories(ports.caches), repository) : [];
        return ofRepositories([key, ...sharers.map(keyOf)]);
      },
    })
    .watch(repositories, { when: readinessChanged, keys: ofChanged });
  if (clusterRepositories) controller.watch(clusterRepositories, { when: readinessChanged, keys: ofChanged });
  ports.tasks.wake(controller, maintenanceResource);
  ports.queues.recordHolders(recordHoldersOf(maintenances, controller));
  return controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const maintenance = ports.caches.maintenances.get(key);
  if (!maintenance || maintenance.metadata.deletionTimestamp) return done;
  const { observed, earlier } = await observeMaintenance(ports, maintenance, signal);
  const decision = withEarlier(decideMaintenance(observed), earlier);
  return act(ports, { resource: maintenanceResource, object: maintenance }, decision, signal);
}
