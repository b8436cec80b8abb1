import { type BackoffOptions, backoff } from "../../lib/backoff.ts";
import { type Clock, sleep } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf, stackOf } from "../../lib/result.ts";
import type { Logger } from "../../observe/log.ts";
import type { WatchObserver } from "../../observe/observers.ts";
import { ApiError, isExpired, isForbidden } from "../api_error.ts";
import type { MetadataReader, Reader, SelectOptions, WatchEvent } from "../client.ts";
import { judge } from "../failure.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../object.ts";
import { joinedProjection, type Projection } from "../projection.ts";
import { type Resource, resourceName } from "../resource.ts";
import type { Cache, Change } from "./cache.ts";
import { type IndexFunction, ObjectStore, type StoreFault } from "./object_store.ts";
import { type PartPath, SharedParts } from "./shared_parts.ts";

/** What every informer of a program shares. */
export interface InformerPorts {
  readonly client: Reader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observer: WatchObserver;
  /** Silence on a watch after which the connection counts as dead, in milliseconds. Default: the client's. */
  readonly idleTimeout?: number;
}

export interface InformerScope<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Fetches metadata alone. */
  readonly metadataOnly?: boolean;
  /** What is kept of each object beside its type and metadata. Default: all. Managed fields are never kept. */
  readonly keep?: Projection;
  /** The program works without it, if less well: nothing waits for it. */
  readonly optional?: boolean;
}

/** The server ends a watch itself after five to ten minutes, so that load spreads over its replicas again. */
const WATCH_SECONDS = 300;

/** A watch that ends sooner was not worth its connection: the next one waits, as after a failure. */
const SHORTEST_WATCH_MS = 1000;

/** Servers that know no streaming lists refuse them; one that knows them over a store that does not fails. */
const NO_STREAMS: ReadonlySet<number> = new Set([400, 422, 500]);

const BACKOFF: BackoffOptions = { base: 200, cap: 30_000 };

/** Keeps a local copy of the objects of one kind and scope: lists once, then follows, whatever happens. */
export class Informer<T extends KubeObject> implements Cache<T> {
  #scope: InformerScope<T>;
  readonly #ports: InformerPorts;
  readonly #name: string;
  readonly #store = new ObjectStore<T>((fault) => this.#report(fault));
  readonly #shared = new SharedParts();
  readonly #synced = Promise.withResolvers<void>();
  #optional: boolean;
  #isSynced = false;
  #streams: "untried" | "yes" | "no" = "untried";
  /** What the next watch starts after; undefined when the state has to be fetched anew. */
  #version: string | undefined;
  #relistReason = "start";
  #watching = false;
  #trouble: string | undefined;
  #lastContact = Number.NEGATIVE_INFINITY;

  constructor(scope: InformerScope<T>, ports: InformerPorts) {
    this.#scope = scope;
    this.#ports = ports;
    this.#name = resourceName(scope.resource);
    this.#optional = scope.optional ?? false;
  }

  get resource(): Resource<T> {
    return this.#scope.resource;
  }

  get optional(): boolean {
    return this.#optional;
  }

  /** Another part of the program cannot do without it. */
  need(): void {
    this.#optional = false;
  }

  /** Before it runs: another part of the program needs more of each object. */
  widen(keep: Projection | undefined): void {
    const { keep: before, ...scope } = this.#scope;
    const joined = joinedProjection(before, keep);
    this.#scope = joined ? { ...scope, keep: joined } : scope;
  }

  get keep(): Projection | undefined {
    return this.#scope.keep;
  }

  get trouble(): string | undefined {
    return this.#trouble;
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

  /** What comes from now on has these parts in common where they are equal. */
  share(paths: readonly PartPath[]): void {
    this.#shared.add(paths);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.addIndex(name, valuesOf);
  }

  onChange(handler: (change: Change<T>) => void): () => void {
    return this.#store.onChange(handler);
  }

  get synced(): boolean {
    return this.#isSynced;
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (!signal || this.#isSynced) return this.#synced.promise;
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    return Promise.race([this.#synced.promise, aborted.promise]).finally(() =>
      signal.removeEventListener("abort", onAbort),
    );
  }

  get staleness(): number {
    if (!this.#isSynced) return Number.POSITIVE_INFINITY;
    return this.#watching ? 0 : this.#ports.clock.monotonic() - this.#lastContact;
  }

  /** Follows until the signal ends it; no failure does. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#ports;
    let failures = 0;
    while (!signal.aborted) {
      const started = clock.monotonic();
      let asked = 0;
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) break;
        if (isExpired(error)) {
          this.#version = undefined;
          this.#relistReason = "expired";
        }
        if (error instanceof ApiError) asked = error.retryAfter ?? 0;
        this.#trouble = messageOf(error);
        const fields = { resource: this.#name, error: this.#trouble, failures };
        if (isForbidden(error)) log.warn(fields, "list or watch forbidden; check RBAC");
        else if (judge(error).reason === "Unexpected")
          log.error({ ...fields, stack: stackOf(error) }, "watch interrupted");
        else log.debug(fields, "watch interrupted");
      }
      const lasted = clock.monotonic() - started;
      failures = lasted < SHORTEST_WATCH_MS ? failures + 1 : 0;
      const wait = Math.max(asked, failures === 0 ? 0 : backoff(failures, BACKOFF, random));
      if (wait > 0) await sleep(clock, wait, signal).catch(() => {});
    }
  }

  /** One connection's worth: fetches the state if there is none, then watches until the watch ends. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined && this.#streams !== "no") {
      try {
        return await this.#watch(new Map(), signal);
      } catch (error) {
        const refused = error instanceof ApiError && NO_STREAMS.has(error.code);
        if (this.#streams !== "untried" || !refused) throw error;
        this.#streams = "no";
      }
    }
    if (this.#version === undefined) await this.#listInPages(signal);
    await this.#watch(undefined, signal);
  }

  /** Watches from the known version or, with `initial`, collects in it the state that a streaming list sends first. */
  async #watch(initial: Map<ObjectKey, T> | undefined, signal: AbortSignal): Promise<void> {
    const { random, observer, idleTimeout } = this.#ports;
    const start = initial
      ? ({ sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const)
      : { resourceVersion: this.#version as string };
    let collecting = initial;
    let open = false;
    let reason = "ended";
    try {
      const events = this.#reader.watch(this.#scope.resource, {
        ...this.#selection(signal),
        ...start,
        timeoutSeconds: Math.round(WATCH_SECONDS * (1 + random.next())),
        ...(idleTimeout === undefined ? {} : { idleTimeout }),
        onOpen: () => {
          open = true;
          this.#trouble = undefined;
          observer.opened(this.#name);
          if (!collecting) this.#confirmed();
        },
      }) as AsyncIterable<WatchEvent<T>>;
      for await (const event of events) {
        observer.event(this.#name, event.type);
        if (event.type !== "BOOKMARK") {
          if (collecting) collecting.set(keyOf(event.object), this.#shared.share(event.object));
          else this.#take(event.type, event.object);
        } else if (!collecting) {
          this.#version = event.resourceVersion;
        } else if (event.initialEventsEnd) {
          this.#streams = "yes";
          this.#replace(collecting, event.resourceVersion);
          collecting = undefined;
        }
        if (!collecting) this.#confirmed();
      }
    } catch (error) {
      reason = signal.aborted ? "stopped" : error instanceof ApiError ? String(error.code) : "broken";
      throw error;
    } finally {
      this.#watching = false;
      if (open) observer.closed(this.#name, reason);
    }
  }

  #take(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void {
    if (type === "DELETED") this.#store.remove(keyOf(object));
    else this.#store.upsert(this.#shared.share(object));
    this.#version = object.metadata.resourceVersion;
  }

  async #listInPages(signal: AbortSignal): Promise<void> {
    const { resource } = this.#scope;
    const found = new Map<ObjectKey, T>();
    const keep = (items: readonly KubeObject[]) => {
      for (const item of items) found.set(keyOf(item), this.#shared.share(item as T));
    };
    let version = "";
    try {
      for await (const page of this.#reader.pages(resource, this.#selection(signal))) {
        keep(page.items);
        version = page.metadata.resourceVersion;
      }
    } catch (error) {
      if (!isExpired(error)) throw error;
      // The pages outlived the server's memory: take it all in one answer.
      found.clear();
      const list = await this.#reader.list(resource, this.#selection(signal));
      keep(list.items);
      version = list.metadata.resourceVersion;
    }
    this.#lastContact = this.#ports.clock.monotonic();
    this.#replace(found, version);
  }

  /** A watch is open, and the cache holds what it has told. */
  #confirmed(): void {
    this.#watching = true;
    this.#lastContact = this.#ports.clock.monotonic();
  }

  #report({ key, index, error }: StoreFault): void {
    const fields = { resource: this.#name, key, error: messageOf(error), stack: stackOf(error) };
    if (index === undefined) this.#ports.log.error(fields, "a change could not be followed");
    else this.#ports.log.error({ ...fields, index }, "the object is missing in an index");
  }

  #replace(objects: ReadonlyMap<ObjectKey, T>, version: string): void {
    this.#ports.observer.relisted(this.#name, this.#relistReason);
    this.#store.replace(objects);
    this.#version = version;
    this.#isSynced = true;
    this.#synced.resolve();
  }

  get #reader(): Pick<Reader, "pages" | "list" | "watch"> | MetadataReader {
    return this.#scope.metadataOnly ? this.#ports.client.metadata : this.#ports.client;
  }

  #selection(signal: AbortSignal): SelectOptions {
    const { namespace, labelSelector, fieldSelector, keep } = this.#scope;
    return {
      signal,
      omitManagedFields: true,
      ...(keep === undefined ? {} : { keep }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
  }
}
