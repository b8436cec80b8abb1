import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { BY_BACKUP, BY_CLAIM, BY_CONFIG, BY_NAMESPACE } from "../caches.ts";
import { withEarlier } from "../outlook.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { decideRestore } from "./decide_restore.ts";
import { earlierTasks, observeRestore } from "./observe_restore.ts";

/** Brings snapshots back into volumes. */
export function restoreController(ports: KopiurPorts): Controller {
  const { restores, backups, configs, claims, repositories, namespaces } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-restore",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(restores)
    .watch(backups, { keys: ({ key }) => restores.indexed(BY_BACKUP, key).map(keyOf) })
    .watch(configs, { keys: ({ key }) => restores.indexed(BY_CONFIG, key).map(keyOf) })
    .watch(claims, { keys: ({ key }) => restores.indexed(BY_CLAIM, key).map(keyOf) })
    .watch(repositories, {
      keys: (change) => {
        const { namespace = "" } = (change.type === "removed" ? change.previous : change.object).metadata;
        return restores.indexed(BY_NAMESPACE, namespace).map(keyOf);
      },
    })
    .watch(namespaces, {
      when: ({ type }) => type === "updated",
      keys: ({ key }) => restores.indexed(BY_NAMESPACE, key).map(keyOf),
    });
  ports.tasks.wake(controller, restoreResource);
  return controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const restore = ports.caches.restores.get(key);
  if (!restore || restore.metadata.deletionTimestamp) return done;
  const observed = await observeRestore(ports, restore, signal);
  const earlier = await earlierTasks(ports, observed, signal);
  const decision = withEarlier(decideRestore(observed), earlier);
  return act(ports, { resource: restoreResource, object: restore }, decision, signal);
}
