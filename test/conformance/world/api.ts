import { expect } from "vitest";
import type { ManagedFields, OwnerReference } from "../../../src/kube/object.ts";
import { apiVersionOf, pathOf, type Resource } from "../../../src/kube/resource.ts";
import { sleep, systemClock } from "../../../src/lib/clock.ts";
import { type HttpRequest, type HttpResponse, type HttpSender, readBody } from "../../../src/lib/http.ts";
import { lines } from "../../../src/lib/lines.ts";

export interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** An object, a list or a Status, as it came. A case knows which it expects, and fails when it is another. */
export interface Body {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly items: readonly Body[];
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What the server said. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text as JSON; an empty object when it is none. */
  readonly body: Body;
}

export type Query = Readonly<Record<string, string | number | boolean>>;

/** One event of a watch. */
export interface Frame {
  readonly type: string;
  readonly object: Body;
}

export interface RawRequest {
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string;
}

/** What no case waits longer for, in milliseconds: far more than any needs, on a machine that is busy with others too. */
export const PATIENCE = 180_000;

/** Requests as they go over the wire, and answers as they come back, refusals included. */
export class Api {
  /** For what is neither one answer nor a watch. */
  readonly sender: HttpSender;

  constructor(sender: HttpSender) {
    this.sender = sender;
  }

  async send(method: HttpRequest["method"], path: string, request: RawRequest = {}): Promise<Answer> {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await this.sender.send({ ...toHttp(method, path, request), signal });
    const text = (await readBody(response.body)).toString();
    return { code: response.status, headers: response.headers, text, body: parse(text) };
  }

  /** A collection as a person with a client sees it: within one namespace, or everywhere. */
  of(resource: Resource, namespace?: string): Collection {
    return new Collection(this, resource, namespace, undefined);
  }

  async open(path: string, request: RawRequest, signal: AbortSignal): Promise<HttpResponse> {
    return this.sender.send({ ...toHttp("GET", path, request), signal, dedicated: true });
  }
}

function toHttp(method: HttpRequest["method"], path: string, request: RawRequest): HttpRequest {
  const { query, headers, body } = request;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) params.set(name, String(value));
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return {
    method,
    path: params.size === 0 ? path : `${path}?${params}`,
    headers: { accept: "application/json", "user-agent": "conformance/1.0", ...type, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}

const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

/** The calls on one kind, which adds apiVersion and kind. Each returns what the server said, whatever it was. */
export class Collection {
  readonly resource: Resource;
  readonly #api: Api;
  readonly #namespace: string | undefined;
  readonly #subresource: string | undefined;

  constructor(api: Api, resource: Resource, namespace: string | undefined, subresource: string | undefined) {
    this.#api = api;
    this.resource = resource;
    this.#namespace = resource.namespaced ? namespace : undefined;
    this.#subresource = subresource;
  }

  /** The same objects through a subresource. */
  sub(subresource: string): Collection {
    return new Collection(this.#api, this.resource, this.#namespace, subresource);
  }

  path(name?: string): string {
    const subresource = name === undefined ? undefined : this.#subresource;
    return pathOf(this.resource, { namespace: this.#namespace, name, subresource });
  }

  create(object: object, query: Query = {}): Promise<Answer> {
    const path = this.#subresource ? this.path(nameOf(object)) : this.path();
    return this.#api.send("POST", path, { query, body: this.#typed(object) });
  }

  get(name: string, accept = "application/json"): Promise<Answer> {
    return this.#api.send("GET", this.path(name), { headers: { accept } });
  }

  list(query: Query = {}, accept = "application/json"): Promise<Answer> {
    return this.#api.send("GET", this.path(), { query, headers: { accept } });
  }

  replace(object: object, query: Query = {}): Promise<Answer> {
    return this.#api.send("PUT", this.path(nameOf(object)), { query, body: this.#typed(object) });
  }

  patch(name: string, type: keyof typeof PATCH_TYPES, body: object, query: Query = {}): Promise<Answer> {
    const headers = { "content-type": PATCH_TYPES[type] };
    return this.#api.send("PATCH", this.path(name), { query, body, headers });
  }

  /** Server-side apply, by `manager` unless the query says otherwise. */
  apply(object: object, query: Query = {}): Promise<Answer> {
    const headers = { "content-type": "application/apply-patch+yaml" };
    return this.#api.send("PATCH", this.path(nameOf(object)), {
      query: { fieldManager: "manager", ...query },
      body: this.#typed(object),
      headers,
    });
  }

  delete(name: string, options: object = {}, query: Query = {}): Promise<Answer> {
    return this.#api.send("DELETE", this.path(name), { query, body: deleteOptions(options) });
  }

  deleteCollection(query: Query = {}, options: object = {}): Promise<Answer> {
    return this.#api.send("DELETE", this.path(), { query, body: deleteOptions(options) });
  }

  /** Resolves when the server has accepted the watch. */
  async watch(query: Query = {}, accept = "application/json"): Promise<Watching> {
    const stop = new AbortController();
    const request = { query: { watch: true, ...query }, headers: { accept } };
    const response = await this.#api.open(this.path(), request, stop.signal);
    if (response.status !== 200) {
      const text = (await readBody(response.body)).toString();
      expect.fail(`watch of ${this.path()}: ${response.status} ${text}`);
    }
    return new Watching(response, stop);
  }

  /** The object, once it is as wanted. */
  async until(name: string, wanted: (object: Body) => boolean): Promise<Body> {
    return eventually(`${this.resource.kind} ${name}`, async () => {
      const { body } = await this.get(name);
      return { done: wanted(body), value: body };
    });
  }

  /** Resolves when the object is no more. */
  async untilGone(name: string): Promise<void> {
    await eventually(`${this.resource.kind} ${name} is gone`, async () => {
      const { code, body } = await this.get(name);
      return { done: code === 404, value: body };
    });
  }

  #typed(object: object): object {
    return { apiVersion: apiVersionOf(this.resource), kind: this.resource.kind, ...object };
  }
}

function nameOf(object: object): string | undefined {
  return (object as Partial<Body>).metadata?.name;
}

function deleteOptions(options: object): object {
  return { apiVersion: "v1", kind: "DeleteOptions", ...options };
}

/** Asks until it is done; fails with the last value. */
export async function eventually<T>(
  what: string,
  look: () => Promise<{ readonly done: boolean; readonly value: T }>,
): Promise<T> {
  const end = systemClock.monotonic() + PATIENCE;
  for (let wait = 5; ; wait = Math.min(wait * 2, 100)) {
    const { done, value } = await look();
    if (done) return value;
    if (systemClock.monotonic() > end) expect.fail(`waited in vain: ${what}: ${JSON.stringify(value)}`);
    await sleep(systemClock, wait);
  }
}

/** A watch that is open. */
export class Watching implements Disposable {
  readonly headers: Readonly<Record<string, string>>;
  readonly #frames: AsyncIterator<string>;
  readonly #stop: AbortController;

  constructor(response: HttpResponse, stop: AbortController) {
    this.headers = response.headers;
    this.#stop = stop;
    this.#frames = lines(response.body)[Symbol.asyncIterator]();
  }

  /** The next `count` events; fewer when the server ended the watch. */
  async next(count: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    const cancel = systemClock.after(PATIENCE, () =>
      this.#stop.abort(new Error(`${count} events did not come`)),
    );
    try {
      while (frames.length < count) {
        const next = await this.#frames.next();
        if (next.done) break;
        frames.push(JSON.parse(next.value) as Frame);
      }
    } finally {
      cancel();
    }
    return frames;
  }

  /** The next events, as `TYPE name`. */
  async names(count: number): Promise<string[]> {
    return (await this.next(count)).map(({ type, object }) => `${type} ${object.metadata.name}`);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
