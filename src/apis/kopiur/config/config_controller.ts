import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { act } from "../act.ts";
import { BY_NAMESPACE, BY_REPOSITORY, BY_SELECTION } from "../caches.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { repositoryKey } from "../references.ts";
import { hasSelector } from "../rules/recorded_paths.ts";
import { decideConfig } from "./decide_config.ts";
import { observeGroupSupport } from "./observe_group.ts";
import { isStaged, sourcesOf } from "./sources.ts";

/** Says of recipes whether they can be run, and under which identity. */
export function configController(ports: KopiurPorts): Controller {
  const { configs, repositories, claims } = ports.caches;
  return new Controller({
    ...controllerPorts(ports),
    name: "kopiur-backupconfig",
    concurrency: 4,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(configs)
    .watch(repositories, { keys: ({ key }) => configs.indexed(BY_REPOSITORY, key).map(keyOf) })
    .watch(claims, {
      when: (change) => !isStaged(change.type === "removed" ? change.previous : change.object),
      keys: ({ key }) => configs.indexed(BY_SELECTION, parseKey(key).namespace ?? "").map(keyOf),
    });
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const { configs, repositories, claims } = ports.caches;
  const config = configs.get(key);
  if (!config || config.metadata.deletionTimestamp) return done;
  const place = repositoryKey(config.spec.repository, config.metadata.namespace ?? "");
  const repository = place.ok ? repositories.get(place.value) : undefined;
  const selected = hasSelector(config) ? claims.indexed(BY_NAMESPACE, config.metadata.namespace ?? "") : [];
  const sources = repository && sourcesOf({ config, backend: repository.spec.backend, claims: selected });
  const group = sources?.ok
    ? await observeGroupSupport(ports.client, config, sources.value, signal)
    : undefined;
  const decision = decideConfig({ config, repository, claims: selected, group, now: ports.clock.now() });
  return act(ports, { resource: backupConfigResource, object: config }, decision, signal);
}
