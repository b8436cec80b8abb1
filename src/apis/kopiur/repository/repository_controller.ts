import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { groundOf, outlookOf } from "../ground.ts";
import { type Outlook, withEarlier } from "../outlook.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { isUnfinished, recordOf, recordsOf } from "../records.ts";
import type { Ground } from "../task.ts";
import { connectPurpose, connectTask } from "./connect_task.ts";
import { decideRepository } from "./decide_repository.ts";

/** A repository that does not answer is asked again for as long as it is wanted. */
const FOREVER = { backoffLimit: Number.MAX_SAFE_INTEGER };

/** Connects to repositories, and creates those that are to be created. */
export function repositoryController(ports: KopiurPorts): Controller {
  const { repositories, namespaces } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-repository",
    concurrency: 4,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(repositories)
    // Whether movers may have privileges is said on the namespace.
    .watch(namespaces, {
      when: ({ type }) => type === "updated",
      keys: ({ key }) =>
        [...repositories.values()].filter((one) => one.metadata.namespace === key).map(keyOf),
    });
  ports.tasks.wake(controller, repositoryResource);
  return controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const repository = ports.caches.repositories.get(key);
  if (!repository || repository.metadata.deletionTimestamp) return done;
  const ground = await groundOf(ports, repository, signal);
  const current = connectPurpose(repository);
  const { status } = repository;
  const earlier = Object.keys(recordsOf(status)).filter((purpose) => purpose !== current);
  const running = earlier.find((purpose) => isUnfinished(recordOf(status, purpose)));
  const purpose = running ?? current;
  const request = {
    task: connectTask(ground, purpose),
    status,
    policy: FOREVER,
    cancel: running !== undefined,
  };
  const connection = await outlookOf(ports, request, signal);
  const decision = decideRepository({ repository, purpose, connection, now: ports.clock.now() });
  const ended = await endedTasks(
    ports,
    ground,
    earlier.filter((name) => name !== running),
    signal,
  );
  return act(
    ports,
    { resource: repositoryResource, object: repository },
    withEarlier(decision, ended),
    signal,
  );
}

async function endedTasks(
  ports: KopiurPorts,
  ground: Ground,
  purposes: readonly string[],
  signal: AbortSignal,
): Promise<readonly Outlook[]> {
  const { status } = ground.repository;
  const outlooks = await Promise.all(
    purposes.map((purpose) => outlookOf(ports, { task: connectTask(ground, purpose), status }, signal)),
  );
  return outlooks.flatMap((outlook) => (outlook.ok ? [outlook.value] : []));
}
