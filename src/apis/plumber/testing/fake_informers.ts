import { ApiError } from "../../../kube/api_error.ts";
import type { Cache, Change } from "../../../kube/cache/cache.ts";
import type { CacheRequest, Informers } from "../../../kube/cache/informers.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";

/** Caches that a test fills by hand. */
export class FakeInformers implements Pick<Informers, "cache"> {
  readonly #caches = new Map<string, FakeCache>();

  cache<T extends KubeObject>({ resource, indexes = {} }: CacheRequest<T>): Cache<T> {
    const found = this.#caches.get(resource.plural) ?? new FakeCache(resource as never);
    this.#caches.set(resource.plural, found);
    Object.assign(found.indexes, indexes);
    return found as unknown as Cache<T>;
  }

  put(plural: string, object: object): void {
    this.#caches.get(plural)?.put(object as KubeObject);
  }

  /** What a merge patch makes of a ConfigMap. */
  mergeData(name: object, { data }: { readonly data?: object }): void {
    const present = this.#caches.get("configmaps")?.get(keyOf(name as KubeObject["metadata"]));
    if (!present) throw new ApiError({ request: "patch", code: 404, status: { reason: "NotFound" } });
    const merged = { ...(present as { readonly data?: object }).data, ...data };
    this.put("configmaps", { ...present, data: merged });
  }

  unsync(plural: string): void {
    const cache = this.#caches.get(plural);
    if (cache) cache.synced = false;
  }
}

class FakeCache {
  readonly resource: Cache<KubeObject>["resource"];
  readonly indexes: Record<string, (object: KubeObject) => readonly string[]> = {};
  synced = true;
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #handlers: ((change: Change<KubeObject>) => void)[] = [];

  constructor(resource: Cache<KubeObject>["resource"]) {
    this.resource = resource;
  }

  put(object: KubeObject): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    const change: Change<KubeObject> = previous
      ? { type: "updated", key, object, previous }
      : { type: "added", key, object };
    for (const handler of this.#handlers) handler(change);
  }

  async whenSynced(): Promise<void> {}

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<KubeObject> {
    return this.#objects.values();
  }

  indexed(index: string, value: string): readonly KubeObject[] {
    return [...this.#objects.values()].filter((one) => this.indexes[index]?.(one).includes(value));
  }

  onChange(handler: (change: Change<KubeObject>) => void): () => void {
    this.#handlers.push(handler);
    return () => {};
  }
}
