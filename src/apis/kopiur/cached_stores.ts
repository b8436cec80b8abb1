import type { StoresIn } from "../../core/volumes/stores.ts";
import { BY_NAMESPACE, type KopiurCaches } from "./caches.ts";
import { storesAmong } from "./stores_among.ts";

/** The PVCs that repositories lie on, by what the caches know. */
export function cachedStores(
  caches: Pick<KopiurCaches, "repositories" | "clusterRepositories" | "configs">,
  operatorNamespace: string,
): StoresIn {
  const { repositories, clusterRepositories, configs } = caches;
  return (namespace) => {
    const stores = storesAmong({
      repositories: [
        ...[...repositories.values()].filter(({ metadata }) => metadata.namespace === namespace),
        ...(namespace === operatorNamespace ? (clusterRepositories?.values() ?? []) : []),
      ],
      configs: configs.indexed(BY_NAMESPACE, namespace),
      find: (key) => repositories.get(key) ?? clusterRepositories?.get(key),
      operatorNamespace,
    });
    return new Map(stores.map(({ claim, repository }) => [claim.name, repository]));
  };
}
