import { type KubeObject, keyOf, type ObjectKey } from "../object.ts";
import type { Change } from "./cache.ts";

/** Files an object under any number of values. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** What an index function or a handler threw, and for which object. */
export interface StoreFault {
  readonly key: ObjectKey;
  readonly error: unknown;
  /** Undefined for a handler. */
  readonly index?: string;
}

/**
 * The objects of a cache with their indexes. Every change is told once, in order, to every handler. What one of them
 * throws goes to `onFault`, and the others go on: an object whose values are not known is filed under none.
 */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<ObjectKey, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #handlers = new Set<(change: Change<T>) => void>();
  readonly #onFault: (fault: StoreFault) => void;

  /** Without `onFault`, what is thrown is thrown on. */
  constructor(onFault: (fault: StoreFault) => void = rethrow) {
    this.#onFault = onFault;
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

  indexed(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index)
      throw new Error(`there is no index ${JSON.stringify(name)}: declare it where the cache is asked for`);
    const found: T[] = [];
    for (const key of index.keys(value)) {
      const object = this.#objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  /** Declares an index; objects that are here already are filed. Declaring it again with the same function is fine. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known) throw new Error(`the index ${JSON.stringify(name)} is declared twice, differently`);
    const index = new Index(valuesOf, (key, error) => this.#onFault({ key, error, index: name }));
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) index.update(key, undefined, object);
  }

  onChange(handler: (change: Change<T>) => void): () => void {
    for (const [key, object] of this.#objects) this.#call(handler, { type: "added", key, object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** The object is as given. Seeing the same version again changes nothing. */
  upsert(object: T): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous?.metadata.uid === object.metadata.uid) {
      if (previous.metadata.resourceVersion === object.metadata.resourceVersion) return;
      this.#set(key, previous, object);
      this.#tell({ type: "updated", key, object, previous });
      return;
    }
    // Same name, another object: whoever follows the old one must hear that it is gone.
    if (previous) this.#delete(key, previous);
    this.#set(key, undefined, object);
    this.#tell({ type: "added", key, object });
  }

  remove(key: ObjectKey): void {
    const previous = this.#objects.get(key);
    if (previous) this.#delete(key, previous);
  }

  /** The whole state is as given: what is not in it is gone. */
  replace(objects: ReadonlyMap<ObjectKey, T>): void {
    for (const [key, previous] of this.#objects) {
      if (!objects.has(key)) this.#delete(key, previous);
    }
    for (const object of objects.values()) this.upsert(object);
  }

  #set(key: ObjectKey, previous: T | undefined, object: T): void {
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.update(key, previous, object);
  }

  #delete(key: ObjectKey, previous: T): void {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.update(key, previous, undefined);
    this.#tell({ type: "removed", key, previous });
  }

  #tell(change: Change<T>): void {
    for (const handler of this.#handlers) this.#call(handler, change);
  }

  #call(handler: (change: Change<T>) => void, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      this.#onFault({ key: change.key, error });
    }
  }
}

function rethrow({ error }: StoreFault): never {
  throw error;
}

class Index<T> {
  readonly valuesOf: IndexFunction<T>;
  /** Under most values of most indexes there is one object: a set for each would be larger than its key. */
  readonly #filed = new Map<string, ObjectKey | Set<ObjectKey>>();
  readonly #onFault: (key: ObjectKey, error: unknown) => void;

  constructor(valuesOf: IndexFunction<T>, onFault: (key: ObjectKey, error: unknown) => void) {
    this.valuesOf = valuesOf;
    this.#onFault = onFault;
  }

  keys(value: string): Iterable<ObjectKey> {
    const filed = this.#filed.get(value);
    if (filed === undefined) return [];
    return typeof filed === "string" ? [filed] : filed;
  }

  update(key: ObjectKey, previous: T | undefined, object: T | undefined): void {
    const before = previous ? this.#valuesOf(key, previous) : [];
    const after = object ? this.#valuesOf(key, object) : [];
    for (const value of before) {
      if (!after.includes(value)) this.#unfile(value, key);
    }
    for (const value of after) this.#file(value, key);
  }

  #valuesOf(key: ObjectKey, object: T): readonly string[] {
    try {
      return this.valuesOf(object);
    } catch (error) {
      this.#onFault(key, error);
      return [];
    }
  }

  #file(value: string, key: ObjectKey): void {
    const filed = this.#filed.get(value);
    if (filed === undefined) this.#filed.set(value, key);
    else if (typeof filed !== "string") filed.add(key);
    else if (filed !== key) this.#filed.set(value, new Set([filed, key]));
  }

  #unfile(value: string, key: ObjectKey): void {
    const filed = this.#filed.get(value);
    if (typeof filed === "object") filed.delete(key);
    if (filed === key || (typeof filed === "object" && filed.size === 0)) this.#filed.delete(value);
  }
}
