import type { Check as AnyCheck } from "../../../core/admission/check.ts";
import type { StoresIn } from "../../../core/volumes/stores.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { type Found, findIn } from "../../../kube/cache/found.ts";
import type { KubeObject, ObjectName } from "../../../kube/object.ts";
import type { AutorestoreCaches } from "../caches.ts";

/** What is there already. It may be a little behind, so the controllers check again. */
export interface Lookup {
  repository(name: ObjectName): Found<ResticRepository>;
  backup(name: ObjectName): Found<ResticBackup>;
  claim(name: ObjectName): Found<KubeObject>;
  namespace(name: string): Found<KubeObject>;
  /** The repository of any API that lies on a claim, by its kind and key; as far as it is known. */
  repositoryOn(claim: ObjectName): string | undefined;
}

export type Check<T> = AnyCheck<T, Lookup>;

/** Looks into caches alone. `namespace`: they hold nothing else; default all. */
export function cachedLookup(caches: AutorestoreCaches, storesIn: StoresIn, namespace?: string): Lookup {
  const inside = <T extends KubeObject>(cache: Cache<T>, name: ObjectName): Found<T> =>
    namespace !== undefined && name.namespace !== namespace ? "unknown" : findIn(cache, name);
  return {
    repository: (name) => inside(caches.repositories, name),
    backup: (name) => inside(caches.backups, name),
    claim: (name) => inside<KubeObject>(caches.claims, name),
    namespace: (name) =>
      namespace !== undefined && name !== namespace ? "unknown" : findIn(caches.namespaces, { name }),
    repositoryOn: (claim) => storesIn(claim.namespace ?? "").get(claim.name),
  };
}
