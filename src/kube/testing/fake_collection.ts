import { HttpFailure } from "../../lib/http.ts";
import { ApiError } from "../api_error.ts";
import type {
  List,
  ListOptions,
  MetadataReader,
  Reader,
  SelectOptions,
  WatchEvent,
  WatchOptions,
} from "../client.ts";
import { type KubeObject, keyOf, type ObjectKey, type ObjectMeta } from "../object.ts";

type Stored = { readonly version: number } & (
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK" }
);

export interface Faults {
  /** Servers that know no streaming lists answer 422; those whose store knows none take the request, and fail. */
  streamingLists: boolean | "fail";
  /** The next list or watch fails with this. */
  next: Error | undefined;
  /** A streaming list waits for this before it says that it has told everything. */
  beforeEnd: Promise<void> | undefined;
  /** The next list that comes in pages fails with this after its first page. */
  secondPage: Error | undefined;
}

/**
 * The list and watch of one kind, as an API server serves them: versions, history, compaction, bookmarks, and
 * connections that break on demand. For tests of what follows them.
 */
export class FakeCollection {
  readonly faults: Faults = {
    streamingLists: true,
    next: undefined,
    beforeEnd: undefined,
    secondPage: undefined,
  };
  readonly objects = new Map<ObjectKey, KubeObject>();
  readonly calls: string[] = [];
  #version = 100;
  #compacted = 0;
  #history: Stored[] = [];
  #breaks = Promise.withResolvers<Error | undefined>();
  #wakes = new Set<() => void>();

  get version(): string {
    return String(this.#version);
  }

  put(name: string, fields: object = {}, namespace = "default"): void {
    const key = keyOf({ namespace, name });
    const existing = this.objects.get(key);
    this.#version++;
    const metadata: ObjectMeta = {
      name,
      namespace,
      uid: existing?.metadata.uid ?? `uid-${this.#version}`,
      resourceVersion: this.version,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(fields as { metadata?: object }).metadata,
      managedFields: [{ manager: "someone" }],
    };
    const object = { apiVersion: "v1", kind: "ConfigMap", ...fields, metadata };
    this.objects.set(key, object);
    this.#record({ version: this.#version, type: existing ? "MODIFIED" : "ADDED", object });
  }

  delete(name: string, namespace = "default"): void {
    const key = keyOf({ namespace, name });
    const existing = this.objects.get(key);
    if (!existing) return;
    this.#version++;
    this.objects.delete(key);
    const object = { ...existing, metadata: { ...existing.metadata, resourceVersion: this.version } };
    this.#record({ version: this.#version, type: "DELETED", object });
  }

  /** Something else in the server's store changed: open watches are told how far they are. */
  bookmark(): void {
    this.#version++;
    this.#record({ version: this.#version, type: "BOOKMARK" });
  }

  /** Forgets the history: watches from before are told 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
  }

  /** Ends every open watch: cleanly, or with a broken connection. */
  drop(error?: Error): void {
    const { resolve } = this.#breaks;
    this.#breaks = Promise.withResolvers();
    resolve(error);
  }

  get openWatches(): number {
    return this.#wakes.size;
  }

  get reader(): Reader {
    const reader = {
      list: async (_: unknown, options?: ListOptions) => this.#list(options),
      pages: (_: unknown, options?: ListOptions) => this.#pages(options),
      watch: (_: unknown, options?: WatchOptions) => this.#watch(options),
      serves: async () => true,
      get: async () => {
        throw new ApiError({ request: "get", code: 404, status: {} });
      },
    };
    return { ...reader, metadata: reader as unknown as MetadataReader } as unknown as Reader;
  }

  #record(stored: Stored): void {
    this.#history.push(stored);
    for (const wake of this.#wakes) wake();
  }

  #fail(): void {
    const { next } = this.faults;
    this.faults.next = undefined;
    if (next) throw next;
  }

  #list(options: ListOptions = {}): List<KubeObject> {
    this.calls.push("list");
    this.#fail();
    return {
      items: [...this.objects.values()].map((o) => answer(o, options)),
      metadata: { resourceVersion: this.version },
    };
  }

  async *#pages(options: ListOptions = {}): AsyncIterable<List<KubeObject>> {
    const { items, metadata } = this.#list(options);
    for (let i = 0; i < items.length || i === 0; i += 2) {
      const { secondPage } = this.faults;
      if (i > 0 && secondPage) {
        this.faults.secondPage = undefined;
        throw secondPage;
      }
      yield { items: items.slice(i, i + 2), metadata };
    }
  }

  async *#watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<KubeObject>> {
    this.calls.push(options.sendInitialEvents ? "stream" : `watch ${options.resourceVersion}`);
    this.#fail();
    if (options.sendInitialEvents && !this.faults.streamingLists) {
      throw new ApiError({ request: "watch", code: 422, status: { reason: "Invalid" } });
    }
    let at = Number(options.resourceVersion ?? this.#version);
    options.onOpen?.();
    if (options.sendInitialEvents) {
      if (this.faults.streamingLists === "fail")
        throw new ApiError({ request: "watch", code: 500, status: { reason: "InternalError" } });
      at = this.#version;
      for (const object of [...this.objects.values()])
        yield { type: "ADDED", object: answer(object, options) };
      await this.faults.beforeEnd;
      yield { type: "BOOKMARK", resourceVersion: String(at), initialEventsEnd: true };
    }
    const ended = this.#breaks.promise;
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => {});
    options.signal?.addEventListener("abort", () => aborted.reject(options.signal?.reason), { once: true });
    let wake = Promise.withResolvers<"more">();
    const onWake = () => wake.resolve("more");
    this.#wakes.add(onWake);
    try {
      for (;;) {
        if (at < this.#compacted)
          throw new ApiError({ request: "watch", code: 410, status: { reason: "Expired" } });
        for (const stored of this.#history.filter((h) => h.version > at)) {
          at = stored.version;
          if (stored.type !== "BOOKMARK") yield { type: stored.type, object: answer(stored.object, options) };
          else yield { type: "BOOKMARK", resourceVersion: String(at), initialEventsEnd: false };
        }
        const next = await Promise.race([wake.promise, ended, aborted.promise]);
        if (next instanceof Error) throw next;
        if (next === undefined) return;
        wake = Promise.withResolvers();
      }
    } finally {
      this.#wakes.delete(onWake);
    }
  }
}

function answer(object: KubeObject, options: SelectOptions): KubeObject {
  const { managedFields, ...metadata } = structuredClone(object.metadata);
  return {
    ...structuredClone(object),
    metadata: options.omitManagedFields || !managedFields ? metadata : { ...metadata, managedFields },
  };
}

export const brokenConnection = (): Error => new HttpFailure("reset", { code: "ECONNRESET", sent: true });
