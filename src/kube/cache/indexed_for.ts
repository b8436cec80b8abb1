import type { KubeObject, ObjectKey } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { Cache, Change } from "./cache.ts";

/** A cache for one part of the program, which has its own names for indexes. */
export class IndexedFor<T extends KubeObject> implements Cache<T> {
  readonly #cache: Cache<T>;
  readonly #name: (index: string) => string;

  constructor(cache: Cache<T>, name: (index: string) => string) {
    this.#cache = cache;
    this.#name = name;
  }

  get resource(): Resource<T> {
    return this.#cache.resource;
  }

  get(key: ObjectKey): T | undefined {
    return this.#cache.get(key);
  }

  values(): Iterable<T> {
    return this.#cache.values();
  }

  get size(): number {
    return this.#cache.size;
  }

  indexed(index: string, value: string): readonly T[] {
    return this.#cache.indexed(this.#name(index), value);
  }

  onChange(handler: (change: Change<T>) => void): () => void {
    return this.#cache.onChange(handler);
  }

  get synced(): boolean {
    return this.#cache.synced;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#cache.whenSynced(signal);
  }

  get staleness(): number {
    return this.#cache.staleness;
  }

  get trouble(): string | undefined {
    return this.#cache.trouble;
  }

  get optional(): boolean {
    return this.#cache.optional ?? false;
  }
}
