import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { type Maintenance, maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { type Repository, repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { isAlreadyExists } from "../../../kube/api_error.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { Failure } from "../../../kube/controller/failure.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { type AnyRepository, isOfCluster, repositoryKey, repositoryText } from "../references.ts";
import { findRepository } from "../repository_use.ts";
import { operatorNamespaceOf } from "../settings.ts";
import { writeFitted } from "../write_fitted.ts";
import { decideKeeping } from "./decide_keeping.ts";
import { defaultMaintenance } from "./default_maintenance.ts";
import { maintainersOf } from "./maintainers_of.ts";

/** Sees to it that every repository is maintained, and says on it by whom. */
export function keepingController(ports: KopiurPorts): Controller {
  const { maintenances, repositories, clusterRepositories } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-keeping",
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
  const { status, ...decision } = decideKeeping({
    repository,
    maintenances: entitled,
    strangers,
    placeIsThere: place !== undefined && !place.metadata.deletionTimestamp,
    now: clock.now(),
  });
  if (status) await writeOn(ports, repository, status, signal);
  for (const note of decision.events) events.event(repository, note);
  if (decision.create) await create(ports, repository, namespace, signal);
  for (const one of decision.remove) {
    await client.delete(maintenanceResource, one.metadata, { uid: one.metadata.uid, signal });
  }
  return done;
}

function writeOn({ client }: KopiurPorts, object: AnyRepository, status: object, signal: AbortSignal) {
  return isOfCluster(object)
    ? writeFitted<ClusterRepository>(
        client,
        { resource: clusterRepositoryResource, object, status },
        { signal },
      )
    : writeFitted<Repository>(client, { resource: repositoryResource, object, status }, { signal });
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
