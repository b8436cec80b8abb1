import { ApiError } from "../../kube/api_error.ts";
import { Namespaces } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { CacheRequest } from "../../kube/cache/informers.ts";
import type { Client, DeleteOptions } from "../../kube/client.ts";
import { type KubeObject, type ObjectKey, parseKey } from "../../kube/object.ts";
import { apiVersionOf, pathOf, type Resource } from "../../kube/resource.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { HttpFailure, type HttpRequest, type HttpResponse } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { SessionClient } from "../work/session/session_client.ts";
import { meta, NOW, SETTINGS } from "./samples.ts";

/** What the next writes run into: the one of this number fails, before or after the server has carried it out. */
export interface Fault {
  readonly write: number;
  readonly carriedOut: boolean;
}

/** What becomes of the next list that is asked for. */
export type ListingFault = "unreachable" | "breaks off" | "another repository";

/** A repository's list, and an API server with what stands for it, in memory. Both fail on demand. */
export class CatalogWorld {
  readonly clock = new VirtualClock(NOW);
  snapshots: readonly Snapshot[] = [];
  listingFault: ListingFault | undefined;
  /** Snapshots in one answer of the repository. */
  pageSize = 2;
  fault: Fault | undefined;
  /** Whatever the operator wrote, as verb and name. */
  readonly writes: string[] = [];
  /** Reasons of the events that were told. */
  readonly told: string[] = [];
  /** Sessions that were opened and not closed. */
  open = 0;
  /** Sessions that were ever opened. */
  asked = 0;
  readonly #objects = new Map<string, KubeObject>();
  #seen: ReadonlyMap<string, KubeObject> = this.#objects;
  #sorted: { readonly of: readonly Snapshot[]; readonly list: readonly Snapshot[] } | undefined;
  #version = 0;
  #writeCount = 0;

  /** What the controllers are handed. */
  get room(): EngineRoom {
    const { clock } = this;
    const sessions = {
      open: async () => {
        this.open += 1;
        this.asked += 1;
        const close = () => {
          this.open -= 1;
        };
        return new SessionClient({ send: (request) => this.#answer(request), close });
      },
    };
    const events = { event: (_: KubeObject, { reason }: EventNote) => void this.told.push(reason) };
    const room = {
      clock,
      sessions,
      events,
      settings: SETTINGS,
      client: this.#client,
      random: seededRandom(1),
      log: silentLogger,
    };
    return room as unknown as EngineRoom;
  }

  put(resource: Resource, object: KubeObject): void {
    this.#store(pathOf(resource, object.metadata), object);
    this.sync();
  }

  /** Without anybody's doing: as when it is lost. */
  drop(resource: Resource, object: KubeObject): void {
    this.#objects.delete(pathOf(resource, object.metadata));
    this.sync();
  }

  all<T extends KubeObject>({ kind: wanted }: Resource<T>): readonly T[] {
    return [...this.#objects.values()].filter(({ kind }) => kind === wanted) as T[];
  }

  namespace(name: string): void {
    const metadata = meta(name, { creationTimestamp: "2026-01-01T00:00:00Z" });
    const { namespace: _, ...own } = metadata;
    this.put(Namespaces, { apiVersion: "v1", kind: "Namespace", metadata: own });
  }

  /** From now on the caches show what there is now, until the next call. Without one, they show everything at once. */
  freeze(): void {
    this.#seen = new Map(this.#objects);
  }

  sync(): void {
    this.#seen = this.#objects;
  }

  cache<T extends KubeObject>({ resource, indexes = {} }: CacheRequest<T>): Cache<T> {
    const values = () =>
      [...this.#seen.values()].filter(
        ({ kind, apiVersion }) => kind === resource.kind && apiVersion === apiVersionOf(resource),
      ) as T[];
    const cache = {
      resource,
      values,
      whenSynced: async () => {},
      onChange: () => () => {},
      get: (key: ObjectKey) => this.#seen.get(pathOf(resource, parseKey(key))),
      indexed: (index: string, value: string) =>
        values().filter((object) => [...(indexes[index]?.(object) ?? [])].includes(value)),
    };
    return cache as unknown as Cache<T>;
  }

  get #client(): Client {
    const client = {
      get: async (resource: Resource, name: KubeObject["metadata"]) => this.#get(pathOf(resource, name)),
      create: async (resource: Resource, draft: KubeObject) => {
        const path = pathOf(resource, draft.metadata);
        return this.#write(`create ${draft.metadata.name}`, () => {
          if (this.#objects.has(path)) throw refusal(path, 409, "AlreadyExists");
          const uid = `uid-${this.#version}`;
          const metadata = { ...draft.metadata, uid, creationTimestamp: "2026-05-24T00:00:00Z" };
          return this.#store(path, {
            ...draft,
            apiVersion: apiVersionOf(resource),
            kind: resource.kind,
            metadata,
          });
        });
      },
      patch: async (
        resource: Resource,
        name: KubeObject["metadata"],
        { patch }: { patch: Partial<KubeObject> },
      ) =>
        this.#write(`patch ${name.name}`, () => {
          const path = pathOf(resource, name);
          const stored = this.#get(path);
          if (patch.metadata?.resourceVersion !== stored.metadata.resourceVersion)
            throw refusal(path, 409, "Conflict");
          return this.#store(path, merged(stored, patch) as KubeObject);
        }),
      delete: async (
        resource: Resource,
        name: KubeObject["metadata"],
        { uid, resourceVersion }: DeleteOptions,
      ) =>
        this.#write(`delete ${name.name}`, () => {
          const path = pathOf(resource, name);
          const { metadata } = this.#get(path);
          if (metadata.uid !== uid || metadata.resourceVersion !== resourceVersion)
            throw refusal(path, 409, "Conflict");
          return this.#objects.delete(path);
        }),
    };
    return client as unknown as Client;
  }

  #get(path: string): KubeObject {
    const object = this.#objects.get(path);
    if (!object) throw refusal(path, 404, "NotFound");
    return object;
  }

  #write<T>(what: string, write: () => T): T {
    this.#writeCount += 1;
    const hit = this.fault?.write === this.#writeCount ? this.fault : undefined;
    if (hit && !hit.carriedOut) throw lost();
    const done = write();
    this.writes.push(what);
    if (hit) throw lost();
    return done;
  }

  /** From here on writes are counted anew, for the fault that is to come. */
  plan(fault: Fault | undefined): void {
    this.fault = fault;
    this.#writeCount = 0;
  }

  #store(path: string, object: KubeObject): KubeObject {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const stored = structuredClone({ ...object, metadata });
    this.#objects.set(path, stored);
    return stored;
  }

  async #answer({ path }: HttpRequest): Promise<HttpResponse> {
    if (this.listingFault === "unreachable")
      throw new HttpFailure("connection refused", { code: "ECONNREFUSED", sent: false });
    if (path.startsWith("/v1/repository")) {
      const repository = this.listingFault === "another repository" ? "id-2" : "id-1";
      return json({ version: 1, repository });
    }
    const after = Number(new URLSearchParams(path.split("?")[1] ?? "").get("after") ?? 0);
    if (after > 0 && this.listingFault === "breaks off")
      throw new HttpFailure("connection reset", { code: "ECONNRESET", sent: true });
    const next = after + this.pageSize;
    const items = this.#newestFirst().slice(after, next);
    return json({ items, ...(next < this.snapshots.length ? { next: String(next) } : {}) });
  }

  #newestFirst(): readonly Snapshot[] {
    if (this.#sorted?.of !== this.snapshots) {
      const list = this.snapshots.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
      this.#sorted = { of: this.snapshots, list };
    }
    return this.#sorted.list;
  }
}

function json(value: unknown): HttpResponse {
  async function* body() {
    yield Buffer.from(JSON.stringify(value));
  }
  return { status: 200, headers: {}, body: body() };
}

/** A merge patch, as far as they are used here. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function refusal(path: string, code: number, reason: string): ApiError {
  return new ApiError({ request: path, code, status: { code, reason } });
}

function lost(): ApiError {
  return new ApiError({ request: "a write", code: 503, status: { code: 503, reason: "ServiceUnavailable" } });
}
