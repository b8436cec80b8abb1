import { ApiError } from "../../../kube/api_error.ts";
import type { Cache, Change } from "../../../kube/cache/cache.ts";
import type { CacheRequest } from "../../../kube/cache/informers.ts";
import { type IndexFunction, ObjectStore } from "../../../kube/cache/object_store.ts";
import type { Client, DeleteOptions, ListOptions, Patch, SubresourceOptions } from "../../../kube/client.ts";
import { type Draft, type KubeObject, keyOf, type ObjectKey, type ObjectName } from "../../../kube/object.ts";
import { apiVersionOf, pathOf, type Resource } from "../../../kube/resource.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Clock } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json.ts";

type Feed = (event: { readonly type: "set" | "gone"; readonly object: KubeObject }) => void;

/** An object that is written so often at one moment is written by controllers that answer each other. */
const RESTLESS = 1_000;

/** The calls that controllers of schedules and retention make. */
export type SimulatedClient = Pick<Client, "get" | "list" | "create" | "patch" | "delete">;

/**
 * An API server in memory, quick enough for days of thousands of objects: versions, preconditions, and caches that can fall
 * behind. Objects have no finalizers here, and go at once.
 */
export class SimulatedCluster implements SimulatedClient {
  readonly #clock: Pick<Clock, "now">;
  readonly #objects = new Map<string, KubeObject>();
  readonly #feeds = new Map<string, Set<Feed>>();
  #version = 0;
  /** How often each object was written at this moment. */
  #writes = { at: 0, counts: new Map<string, number>() };
  #restless: Error | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** The objects of a kind, in no particular order. */
  *all<T extends KubeObject>(resource: Resource<T>): Iterable<T> {
    if (this.#restless) throw this.#restless;
    for (const object of this.#objects.values()) if (object.kind === resource.kind) yield object as T;
  }

  async get<T extends KubeObject>(resource: Resource<T>, name: ObjectName): Promise<T> {
    return this.#present(resource, name);
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}) {
    const [label = "", value] = options.labelSelector?.split("=") ?? [];
    const items = [...this.all(resource)].filter(
      ({ metadata }) =>
        (options.namespace === undefined || metadata.namespace === options.namespace) &&
        (label === "" || metadata.labels?.[label] === value),
    );
    return { items, metadata: { resourceVersion: String(this.#version) } };
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<T> {
    const { name = "", namespace } = draft.metadata;
    const path = pathOf(resource, { name, namespace });
    if (this.#objects.has(path)) throw refusal(path, 409, "AlreadyExists");
    const metadata = {
      generation: 1,
      ...draft.metadata,
      uid: `uid-${this.#version + 1}`,
      creationTimestamp: timestamp(this.#clock.now()),
    };
    return this.#store(resource, path, {
      ...draft,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata,
    });
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    { patch }: Patch<T>,
    _: SubresourceOptions = {},
  ): Promise<T> {
    const present = this.#present(resource, name);
    const { uid, resourceVersion } = ((patch as { readonly metadata?: object }).metadata ??
      {}) as DeleteOptions;
    this.#hold(present, { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) });
    return this.#store(resource, pathOf(resource, name), merged(present, patch) as object);
  }

  async delete(resource: Resource, name: ObjectName, options: DeleteOptions = {}): Promise<boolean> {
    const object = this.#present(resource, name);
    this.#hold(object, options);
    this.#objects.delete(pathOf(resource, name));
    for (const feed of this.#feeds.get(resource.kind) ?? []) feed({ type: "gone", object });
    return true;
  }

  /** A cache of a kind, as a program has it. */
  cache<T extends KubeObject>({ resource, indexes = {} }: CacheRequest<T>): SimulatedCache<T> {
    const cache = new SimulatedCache<T>(resource, indexes);
    for (const object of this.all(resource)) cache.feed({ type: "set", object });
    const feeds = this.#feeds.get(resource.kind) ?? new Set();
    feeds.add(cache.feed as Feed);
    this.#feeds.set(resource.kind, feeds);
    return cache;
  }

  /** Nobody reads this cache any more. */
  forget(cache: SimulatedCache<KubeObject>): void {
    this.#feeds.get(cache.resource.kind)?.delete(cache.feed as Feed);
  }

  #present<T extends KubeObject>(resource: Resource<T>, name: ObjectName): T {
    const path = pathOf(resource, name);
    const object = this.#objects.get(path);
    if (object === undefined) throw refusal(path, 404, "NotFound");
    return object as T;
  }

  #hold({ metadata }: KubeObject, { uid, resourceVersion }: DeleteOptions): void {
    if (
      (uid ?? metadata.uid) === metadata.uid &&
      (resourceVersion ?? metadata.resourceVersion) === metadata.resourceVersion
    )
      return;
    throw refusal(metadata.name, 409, "Conflict");
  }

  /** Controllers that answer each other without end would keep whoever waits for them to settle waiting for ever. */
  #mustRest(path: string): void {
    const at = this.#clock.now();
    if (at !== this.#writes.at) this.#writes = { at, counts: new Map() };
    const { counts } = this.#writes;
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    if (count > RESTLESS)
      this.#restless = new Error(`${path} does not come to rest: ${count} writes at once`);
    if (this.#restless) throw this.#restless;
  }

  #store<T extends KubeObject>(resource: Resource<T>, path: string, object: object): T {
    this.#mustRest(path);
    const { metadata } = object as KubeObject;
    const stored = { ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    this.#objects.set(path, stored as T);
    for (const feed of this.#feeds.get(resource.kind) ?? []) feed({ type: "set", object: stored as T });
    return stored as T;
  }
}

function refusal(request: string, code: number, reason: string): ApiError {
  return new ApiError({ request, code, status: { code, reason } });
}

function merged(present: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(present) ? { ...present } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** A cache that hears of changes at once, or, while it is stalled, not until it goes on. */
export class SimulatedCache<T extends KubeObject> implements Cache<T> {
  readonly resource: Resource<T>;
  readonly synced = true;
  readonly staleness = 0;
  readonly #store = new ObjectStore<T>();
  #waiting: Parameters<Feed>[0][] | undefined;

  constructor(resource: Resource<T>, indexes: Readonly<Record<string, IndexFunction<T>>>) {
    this.resource = resource;
    for (const [name, valuesOf] of Object.entries(indexes)) this.#store.addIndex(name, valuesOf);
  }

  readonly feed = (event: Parameters<Feed>[0]): void => {
    if (this.#waiting) this.#waiting.push(event);
    else if (event.type === "set") this.#store.upsert(event.object as T);
    else this.#store.remove(keyOf(event.object));
  };

  put(object: T): void {
    this.#store.upsert(object);
  }

  stall(): void {
    this.#waiting ??= [];
  }

  goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const event of waiting) this.feed(event);
  }

  get size(): number {
    return this.#store.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#store.get(key);
  }

  values(): Iterable<T> {
    return this.#store.values();
  }

  indexed(index: string, value: string): readonly T[] {
    return this.#store.indexed(index, value);
  }

  onChange(handler: (change: Change<T>) => void): () => void {
    return this.#store.onChange(handler);
  }

  async whenSynced(): Promise<void> {}
}
