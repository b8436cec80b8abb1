import type { Cache } from "../../../kube/cache/cache.ts";
import { type KubeObject, keyOf, type ObjectName } from "../../../kube/object.ts";
import { BY_REPOSITORY, type KopiurCaches } from "../caches.ts";
import type { Found, Lookup } from "./lookup.ts";

/** Looks into caches alone. `namespace`: they hold nothing else; default all. */
export function cachedLookup(caches: KopiurCaches, namespace?: string): Lookup {
  const { repositories, clusterRepositories, configs, backups, maintenances, claims, namespaces } = caches;
  const inside = <T extends KubeObject>(cache: Cache<T>, name: ObjectName): Found<T> =>
    namespace !== undefined && name.namespace !== namespace ? "unknown" : find(cache, name);
  return {
    repository: (name) => inside(repositories, name),
    clusterRepository: (name) => (clusterRepositories ? find(clusterRepositories, { name }) : "unknown"),
    config: (name) => inside(configs, name),
    backup: (name) => inside(backups, name),
    claim: (name) => inside<KubeObject>(claims, name),
    namespace: (name) =>
      namespace !== undefined && name !== namespace ? "unknown" : find(namespaces, { name }),
    configsOf: (repository) => configs.indexed(BY_REPOSITORY, repository),
    maintenancesOf: (repository) => maintenances.indexed(BY_REPOSITORY, repository),
  };
}

function find<T extends KubeObject>(cache: Cache<T>, { namespace, name }: ObjectName): Found<T> {
  return cache.get(keyOf({ namespace, name })) ?? (cache.synced ? "absent" : "unknown");
}
