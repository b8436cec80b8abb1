import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import { readinessChanged } from "../../../core/reconcile/readiness_changed.ts";
import { recordHoldersOf } from "../../../core/reconcile/record_holders_of.ts";
import { reconcileRestore } from "../../../core/restore/reconcile_restore.ts";
import { RefusedClaims } from "../../../core/restore/reserving.ts";
import { isIncomplete } from "../../../core/restore/target_incomplete.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import { primeSource } from "../../../core/volumes/populator/population_marks.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { createMissing } from "../../../kube/write/create_missing.ts";
import { BY_BACKUP, BY_CLAIM, BY_CONFIG, BY_NAMESPACE, BY_REPOSITORY, dataSource } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { restorePorts, restoresInto, safetyStepFor } from "./restore_ports.ts";
import { isDue, restoresOfSafety } from "./safety_backup.ts";

/** Brings snapshots back into volumes. */
export function restoreController(ports: KopiurPorts): Controller {
  const { restores, backups, configs, claims, repositories, clusterRepositories, namespaces } = ports.caches;
  const ofRepository = ({ key }: { readonly key: ObjectKey }) =>
    [
      ...restores.indexed(BY_REPOSITORY, key),
      ...configs.indexed(BY_REPOSITORY, key).flatMap((config) => restores.indexed(BY_CONFIG, keyOf(config))),
    ].map(keyOf);
  const refused = new RefusedClaims();
  const restoring = restorePorts(ports);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-restore",
    concurrency: 8,
    reconcile: async (key, signal) => {
      const restore = restores.get(key);
      const step = restore && isDue(restore) ? safetyStepFor(ports, restore) : undefined;
      if (step?.type === "Create") await createMissing(ports.client, backupResource, step.backup, { signal });
      return reconcileRestore(restoring, refused, key, signal);
    },
  })
    .watch(restores)
    // One that left its volume half written is over once another one has filled it.
    .watch(restores, {
      when: phaseOrSpecChanged,
      keys: (change) => {
        const one = lastSeen(change);
        if (one.status?.phase !== "Completed") return [];
        return restoresInto(restores, one)
          .filter(({ status }) => isIncomplete(status))
          .map(keyOf);
      },
    })
    .watch(backups, { keys: ({ key }) => restores.indexed(BY_BACKUP, key).map(keyOf) })
    // A Restore may wait for the backup of what it overwrites.
    .watch(backups, {
      when: phaseOrSpecChanged,
      keys: (change) => restoresOfSafety(lastSeen(change)),
    })
    .watch(configs, { keys: ({ key }) => restores.indexed(BY_CONFIG, key).map(keyOf) })
    .watch(claims, { keys: ({ key }) => restores.indexed(BY_CLAIM, key).map(keyOf) })
    .watch(claims, {
      keys: (change) => namedRestores(lastSeen(change)),
    })
    .watch(repositories, { when: readinessChanged, keys: ofRepository })
    .watch(namespaces, {
      when: ({ type }) => type !== "removed",
      keys: ({ key }) => restores.indexed(BY_NAMESPACE, key).map(keyOf),
    });
  if (clusterRepositories)
    controller.watch(clusterRepositories, { when: readinessChanged, keys: ofRepository });
  ports.tasks.wake(controller, restoreResource);
  ports.queues.recordHolders(recordHoldersOf(restores, controller));
  return controller;
}

/** The Restore that a claim names, or that a prime claim is filled from. */
function namedRestores(claim: Claim): readonly ObjectKey[] {
  const source = primeSource(claim, restoreResource);
  return [...dataSource(claim), ...(source === undefined ? [] : [source])];
}
