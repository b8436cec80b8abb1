import { toStagedOwner } from "../../../core/volumes/staging/staged_marks.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { BY_CONFIG, BY_NAMESPACE, BY_REPOSITORY } from "../caches.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { decideBackup } from "./decide_backup.ts";
import { decideDeletion } from "./decide_deletion.ts";
import { observeBackup } from "./observe_backup.ts";
import { observeDeletion } from "./observe_deletion.ts";

/** Makes Backups what they say: runs them, and looks after what they made when they go. */
export function backupController(ports: KopiurPorts): Controller {
  const { backups, configs, repositories, claims, namespaces } = ports.caches;
  const inNamespace = (namespace = "") => backups.indexed(BY_NAMESPACE, namespace).map(keyOf);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-backup",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(backups)
    .watch(configs, { keys: ({ key }) => backups.indexed(BY_CONFIG, key).map(keyOf) })
    .watch(repositories, { keys: ({ key }) => backups.indexed(BY_REPOSITORY, key).map(keyOf) })
    .watch(claims, {
      when: ({ type }) => type === "added",
      keys: (change) => (change.type === "added" ? inNamespace(change.object.metadata.namespace) : []),
    })
    .watch(claims, { keys: toStagedOwner(backupResource) })
    .watch(namespaces, { when: ({ type }) => type === "updated", keys: ({ key }) => inNamespace(key) });
  ports.tasks.wake(controller, backupResource);
  return controller;
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const backup = ports.caches.backups.get(key);
  if (!backup?.spec.configRef) return done;
  const decision = await decide(ports, backup, signal);
  return act(ports, { resource: backupResource, object: backup }, decision, signal);
}

async function decide(ports: KopiurPorts, backup: Backup, signal: AbortSignal) {
  if (backup.metadata.deletionTimestamp) return decideDeletion(await observeDeletion(ports, backup, signal));
  return decideBackup(await observeBackup(ports, backup, { signal }));
}
