import { maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { type Change, lastSeen } from "../../../kube/cache/cache.ts";
import { clockSteps } from "../../../kube/controller/clock_steps.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import type { Runnable } from "../../../kube/controller/runnable.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { BY_REPOSITORY } from "../caches.ts";
import { concernsUsers } from "../concerns_users.ts";
import { keepersOf } from "../keepers_of.ts";
import { withEarlier } from "../outlook.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { type AnyRepository, repositoryKey } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { decideMaintenance } from "./decide_maintenance.ts";
import { keepingController } from "./keeping_controller.ts";
import { observeMaintenance } from "./observe_maintenance.ts";
import { sharedKeys, sharersOf } from "./shared_repository.ts";

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
  return [controller, steps, keepingController(ports)];
}

function maintaining(ports: KopiurPorts): Controller {
  const { maintenances, repositories, clusterRepositories } = ports.caches;
  const ofRepositories = (keys: readonly ObjectKey[]) =>
    keys.flatMap((key) => maintenances.indexed(BY_REPOSITORY, key).map(keyOf));
  const ofChanged = (change: Change<AnyRepository>) => ofRepositories(sharedKeys(ports.caches, change));
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-maintenance",
    concurrency: 4,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(maintenances)
    // When another one comes or goes, it may be the turn of the one that gave way.
    .watch(maintenances, {
      when: ({ type }) => type !== "updated",
      keys: (change) => {
        const { metadata, spec } = lastSeen(change);
        const key = repositoryKey(spec.repository, metadata.namespace ?? "");
        const repository = findRepository(ports.caches, key);
        const sharers = repository ? sharersOf(ports.caches, repository) : [];
        return ofRepositories([key, ...sharers.map(keyOf)]);
      },
    })
    .watch(repositories, { when: concernsUsers, keys: ofChanged });
  if (clusterRepositories) controller.watch(clusterRepositories, { when: concernsUsers, keys: ofChanged });
  ports.tasks.wake(controller, maintenanceResource);
  ports.pools.keepers(keepersOf(maintenances, controller));
  return controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const maintenance = ports.caches.maintenances.get(key);
  if (!maintenance || maintenance.metadata.deletionTimestamp) return done;
  const { observed, earlier } = await observeMaintenance(ports, maintenance, signal);
  const decision = withEarlier(decideMaintenance(observed), earlier);
  return act(ports, { resource: maintenanceResource, object: maintenance }, decision, signal);
}
