import type { Cache, Change } from "../../../../kube/cache/cache.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import { OWNER_LABEL } from "../../run_labels.ts";

/** A cache that holds what it is given. Its one index is by the owner of runs. */
export class CachedObjects<T extends KubeObject> implements Cache<T> {
  readonly resource: Resource<T>;
  readonly synced = true;
  readonly staleness = 0;
  readonly #objects = new Map<ObjectKey, T>();
  readonly #handlers = new Set<(change: Change<T>) => void>();

  constructor(resource: Resource<T>) {
    this.resource = resource;
  }

  put(object: T): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#tell(previous ? { type: "updated", key, object, previous } : { type: "added", key, object });
  }

  remove(object: T): void {
    const key = keyOf(object);
    if (this.#objects.delete(key)) this.#tell({ type: "removed", key, previous: object });
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  indexed(_index: string, owner: string): readonly T[] {
    return [...this.#objects.values()].filter(({ metadata }) => metadata.labels?.[OWNER_LABEL] === owner);
  }

  onChange(handler: (change: Change<T>) => void): () => void {
    this.#handlers.add(handler);
    for (const [key, object] of this.#objects) handler({ type: "added", key, object });
    return () => this.#handlers.delete(handler);
  }

  async whenSynced(): Promise<void> {}

  #tell(change: Change<T>): void {
    for (const handler of this.#handlers) handler(change);
  }
}
