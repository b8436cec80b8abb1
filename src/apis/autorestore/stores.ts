import type { Stores, StoresIn } from "../../core/volumes/stores.ts";
import type { ResticRepository } from "../../kinds/autorestore/generated/restic_repository.ts";
import { keyOf } from "../../kube/object.ts";
import type { AutorestoreCaches } from "./caches.ts";
import { storeOf } from "./repository/repository_url.ts";

/** The PVCs of a namespace that ResticRepositories lie on. */
export function storesAmong(repositories: Iterable<ResticRepository>, namespace: string): Stores {
  return new Map(
    [...repositories].flatMap((one) => {
      const claim = storeOf(one);
      return claim?.namespace === namespace ? [[claim.name, `ResticRepository ${keyOf(one)}`] as const] : [];
    }),
  );
}

export function cachedStores({ repositories }: Pick<AutorestoreCaches, "repositories">): StoresIn {
  return (namespace) => storesAmong(repositories.values(), namespace);
}
