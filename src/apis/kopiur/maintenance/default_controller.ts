import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { writeFitted } from "../../../core/reconcile/fitted_status.ts";
import { operatorNamespaceOf } from "../../../core/work/settings.ts";
import { type Maintenance, maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { isAlreadyExists } from "../../../kube/api_error.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { Failure } from "../../../kube/failure.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { KopiurPorts } from "../ports.ts";
import { type AnyRepository, repositoryKey, repositoryText, resourceOfRepository } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { decideDefault } from "./decide_default.ts";
import { defaultMaintenance } from "./default_maintenance.ts";
import { maintainersOf } from "./maintainers_of.ts";

/** Sees to it that every repository is maintained, and says on it by whom. */
export function defaultMaintenanceController(ports: KopiurPorts): Controller {
  const { maintenances, repositories, clusterRepositories } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-default-maintenance",
    concurrency: 2,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(repositories)
    .watch(maintenances, {
      keys: (change) => {
        const { metadata, spec } = lastSeen(change);
        return [repositoryKey(spec.repository, metadata.namespace ?? "")];
      },
    });
  return clusterRepositories ? controller.watch(clusterRepositories) : controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const { caches, client, clock, events, settings } = ports;
  const repository = findRepository(caches, key);
  if (!repository || repository.metadata.deletionTimestamp) return done;
  const namespace = repository.metadata.namespace ?? operatorNamespaceOf(settings);
  const place = caches.namespaces.get(keyOf({ name: namespace }));
  const { entitled, strangers } = maintainersOf(ports, key);
  const { status, ...decision } = decideDefault({
    repository,
    maintenances: entitled,
    strangers,
    placeIsThere: place !== undefined && !place.metadata.deletionTimestamp,
    now: clock.now(),
  });
  if (status) {
    const resource = resourceOfRepository(repository.metadata);
    await writeFitted(client, { resource, object: repository, status }, { signal });
  }
  for (const note of decision.events) events.event(repository, note);
  if (decision.create) await create(ports, repository, namespace, signal);
  for (const one of decision.remove) {
    await client.delete(maintenanceResource, one.metadata, { uid: one.metadata.uid, signal });
  }
  return done;
}

/** Made twice it is there already; what has the name and is another's is left alone. */
async function create(
  { client }: KopiurPorts,
  repository: AnyRepository,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const draft = defaultMaintenance(repository, namespace);
  try {
    await client.create(maintenanceResource, draft, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const name = { namespace, name: draft.metadata.name ?? "" };
    const present: Maintenance = await client.get(maintenanceResource, name, { signal });
    const key = keyOf(repository);
    if (repositoryKey(present.spec.repository, namespace) === key) return;
    throw new Failure(
      "structural",
      "MaintenanceNameTaken",
      `${repositoryText(key)} gets no Maintenance by default: Maintenance ${keyOf(present)} has its name and is of another repository. Create one of another name`,
    );
  }
}
