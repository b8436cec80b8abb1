import type { Claim } from "../../../core/volumes/claim_request.ts";
import { primeSource } from "../../../core/volumes/populator/population_marks.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import {
  BY_BACKUP,
  BY_CLAIM,
  BY_CONFIG,
  BY_DATA_SOURCE,
  BY_NAMESPACE,
  BY_PRIME_SOURCE,
  BY_REPOSITORY,
  dataSource,
} from "../caches.ts";
import { concernsUsers } from "../concerns_users.ts";
import { keepersOf } from "../keepers_of.ts";
import { withEarlier } from "../outlook.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { decideRestore } from "./decide_restore.ts";
import { decideRestoreDeletion } from "./decide_restore_deletion.ts";
import { earlierTasks, observeRestore } from "./observe_restore.ts";
import { observeRestoreDeletion } from "./observe_restore_deletion.ts";
import { actOnPopulations } from "./populate/act_on_populations.ts";
import { decidePopulations } from "./populate/decide_populations.ts";
import { observePopulations } from "./populate/observe_populations.ts";
import { RefusedClaims } from "./reserving.ts";

/** Brings snapshots back into volumes. */
export function restoreController(ports: KopiurPorts): Controller {
  const { restores, backups, configs, claims, repositories, clusterRepositories, namespaces } = ports.caches;
  const ofRepository = ({ key }: { readonly key: ObjectKey }) =>
    [
      ...restores.indexed(BY_REPOSITORY, key),
      ...configs.indexed(BY_REPOSITORY, key).flatMap((config) => restores.indexed(BY_CONFIG, keyOf(config))),
    ].map(keyOf);
  const refused = new RefusedClaims();
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-restore",
    concurrency: 8,
    reconcile: (key, signal) => reconcile(ports, refused, key, signal),
  })
    .watch(restores)
    .watch(backups, { keys: ({ key }) => restores.indexed(BY_BACKUP, key).map(keyOf) })
    .watch(configs, { keys: ({ key }) => restores.indexed(BY_CONFIG, key).map(keyOf) })
    .watch(claims, { keys: ({ key }) => restores.indexed(BY_CLAIM, key).map(keyOf) })
    .watch(claims, {
      keys: (change) => namedRestores(lastSeen(change)),
    })
    .watch(repositories, { when: concernsUsers, keys: ofRepository })
    .watch(namespaces, {
      when: ({ type }) => type !== "removed",
      keys: ({ key }) => restores.indexed(BY_NAMESPACE, key).map(keyOf),
    });
  if (clusterRepositories) controller.watch(clusterRepositories, { when: concernsUsers, keys: ofRepository });
  ports.tasks.wake(controller, restoreResource);
  ports.pools.keepers(keepersOf(restores, controller));
  return controller;
}

/** The Restore that a claim names, or that a prime claim is filled from. */
function namedRestores(claim: Claim): readonly ObjectKey[] {
  const source = primeSource(claim, restoreResource);
  return [...dataSource(claim), ...(source === undefined ? [] : [source])];
}

async function reconcile(
  ports: KopiurPorts,
  refused: RefusedClaims,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const restore = ports.caches.restores.get(key);
  const filled = await fillClaims(ports, key, signal);
  if (!restore) refused.forget(key);
  if (!restore || filled) return filled ?? done;
  const target = { resource: restoreResource, object: restore };
  if (restore.metadata.deletionTimestamp) {
    const decision = decideRestoreDeletion(await observeRestoreDeletion(ports, restore, signal));
    return act(ports, target, decision, signal);
  }
  const observed = { ...(await observeRestore(ports, restore, signal)), refusedAt: refused.at(restore) };
  const earlier = await earlierTasks(ports, observed, signal);
  const decision = withEarlier(decideRestore(observed), earlier);
  try {
    return await act(ports, target, decision, signal);
  } catch (error) {
    refused.note(restore, error, ports.clock.now());
    throw error;
  }
}

/** Looks after the claims that name the Restore; undefined where it has work of its own. */
async function fillClaims(
  ports: KopiurPorts,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { restores, claims } = ports.caches;
  const restore = restores.get(key);
  const isPassive = restore !== undefined && restore.spec.target === undefined;
  const named = [...claims.indexed(BY_DATA_SOURCE, key), ...claims.indexed(BY_PRIME_SOURCE, key)];
  if (!isPassive && named.length === 0) return undefined;
  const decision = decidePopulations(await observePopulations(ports, key, signal));
  const outcome = await actOnPopulations(ports, restore, decision, signal);
  return isPassive || !restore ? outcome : undefined;
}
