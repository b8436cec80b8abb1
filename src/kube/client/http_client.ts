import type { Clock } from "../../lib/clock.ts";
import { ApiError, isNotFound } from "../api_error.ts";
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  List,
  ListOptions,
  MetadataReader,
  Patch,
  Scale,
  SelectOptions,
  SubresourceOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../client.ts";
import type { Draft, KubeObject, ObjectName, Partially } from "../object.ts";
import { apiVersionOf, type Resource } from "../resource.ts";
import { type ApiCall, JSON_TYPE } from "./api_call.ts";
import { Caller, type CallerOptions } from "./caller.ts";
import { LineBuffer } from "./line_buffer.ts";
import { eventPlan, listPlan, type Projected } from "./projection.ts";
import { decodeEvent, Watchdog } from "./watch_stream.ts";

const METADATA_TYPE = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST_TYPE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

const APPLY_TYPE = "application/apply-patch+yaml";

/** Objects in one page of `pages()`. */
const PAGE_SIZE = 500;

/** The server sends a bookmark about once a minute; longer silence means that nobody is there. */
const WATCH_IDLE_MS = 150_000;

/** The server accepts or refuses a watch at once. */
const WATCH_OPENING_MS = 30_000;

/** The Kubernetes API over an HttpSender: a real server's, or one in this process. */
export class HttpClient implements Client {
  readonly #clock: Clock;
  readonly #caller: Caller;
  readonly metadata: MetadataReader;

  constructor(options: CallerOptions) {
    this.#clock = options.clock;
    this.#caller = new Caller(options);
    this.metadata = {
      get: (resource, name, call) => this.#get(resource, name, METADATA_TYPE, call),
      list: (resource, list) => this.#list(resource, METADATA_LIST_TYPE, list),
      pages: (resource, list) => this.#pages(resource, METADATA_LIST_TYPE, list),
      watch: (resource, watch) => this.#watch(resource, METADATA_TYPE, watch),
    };
  }

  get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options?: CallOptions): Promise<T> {
    return this.#get(resource, name, JSON_TYPE, options);
  }

  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions & Projected): Promise<List<T>> {
    return this.#list(resource, JSON_TYPE, options);
  }

  pages<T extends KubeObject>(
    resource: Resource<T>,
    options?: ListOptions & Projected,
  ): AsyncIterable<List<T>> {
    return this.#pages(resource, JSON_TYPE, options);
  }

  watch<T extends KubeObject>(
    resource: Resource<T>,
    options?: WatchOptions & Projected,
  ): AsyncIterable<WatchEvent<T>> {
    return this.#watch(resource, JSON_TYPE, options);
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: Draft<T>,
    options?: SubresourceOptions,
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const subresource = options?.subresource;
    return this.#write(
      {
        verb: "create",
        method: "POST",
        resource,
        scope: { namespace, ...(subresource === undefined ? {} : { name, subresource }) },
        body: { ...typeOf(resource), ...object },
      },
      options,
    );
  }

  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: SubresourceOptions): Promise<T> {
    const { name, namespace } = object.metadata;
    const scope = { name, namespace, subresource: options?.subresource };
    return this.#write(
      { verb: "update", method: "PUT", resource, scope, body: { ...typeOf(resource), ...object } },
      options,
    );
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch<T>,
    options?: SubresourceOptions,
  ): Promise<T> {
    const scope = { ...name, subresource: options?.subresource };
    const contentType = PATCH_TYPES[patch.type];
    return this.#write(
      { verb: "patch", method: "PATCH", resource, scope, body: patch.patch, contentType },
      options,
    );
  }

  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: Partially<T> & { readonly metadata: { readonly name: string; readonly namespace?: string } },
    options: ApplyOptions,
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    return this.#write(
      {
        verb: "apply",
        method: "PATCH",
        resource,
        scope: { name, namespace, subresource: options.subresource },
        query: { force: options.force },
        body: { ...typeOf(resource), ...object },
        contentType: APPLY_TYPE,
      },
      options,
    );
  }

  async delete(resource: Resource, name: ObjectName, options: DeleteOptions = {}): Promise<boolean> {
    try {
      await this.#caller.call(
        { verb: "delete", method: "DELETE", resource, scope: name, body: deleteBody(options) },
        options,
      );
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async deleteCollection(resource: Resource, options: SelectOptions & DeleteOptions = {}): Promise<void> {
    await this.#caller.call(
      {
        verb: "deletecollection",
        method: "DELETE",
        resource,
        scope: { namespace: options.namespace },
        query: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector },
        body: deleteBody(options),
      },
      options,
    );
  }

  async getScale(resource: Resource, name: ObjectName, options?: CallOptions): Promise<Scale> {
    const scope = { ...name, subresource: "scale" };
    return (await this.#caller.call({ verb: "get", method: "GET", resource, scope }, options)) as Scale;
  }

  setScale(resource: Resource, name: ObjectName, replicas: number, options?: WriteOptions): Promise<Scale> {
    const scope = { ...name, subresource: "scale" };
    const body = { spec: { replicas } };
    return this.#write(
      { verb: "patch", method: "PATCH", resource, scope, body, contentType: PATCH_TYPES.merge },
      options,
    );
  }

  async serves(resource: Resource, options?: CallOptions): Promise<boolean> {
    const group = { ...resource, plural: "", namespaced: false };
    try {
      const found = (await this.#caller.call(
        { verb: "get", method: "GET", resource: group, scope: {} },
        options,
      )) as {
        resources?: readonly { name: string }[];
      };
      return found.resources?.some(({ name }) => name === resource.plural) ?? false;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  }

  async #get<T extends KubeObject>(
    resource: Resource,
    scope: ObjectName,
    accept: string,
    options?: CallOptions,
  ): Promise<T> {
    const object = (await this.#caller.call(
      { verb: "get", method: "GET", resource, scope, accept },
      options,
    )) as T;
    return stamp(resource, object);
  }

  async #list<T extends KubeObject>(
    resource: Resource,
    accept: string,
    options: ListOptions & Projected = {},
  ): Promise<List<T>> {
    const list = (await this.#caller.call(
      {
        verb: "list",
        method: "GET",
        resource,
        scope: { namespace: options.namespace },
        query: {
          labelSelector: options.labelSelector,
          fieldSelector: options.fieldSelector,
          limit: options.limit,
          continue: options.continue,
          resourceVersion: options.resourceVersion,
          resourceVersionMatch: options.resourceVersionMatch,
        },
        accept,
        plan: listPlan(options),
      },
      options,
    )) as { items: T[] | null; metadata: List<T>["metadata"] };
    return { items: (list.items ?? []).map((item) => stamp(resource, item)), metadata: list.metadata };
  }

  async *#pages<T extends KubeObject>(
    resource: Resource,
    accept: string,
    options: ListOptions & Projected = {},
  ): AsyncIterable<List<T>> {
    let from = options.continue;
    do {
      const { resourceVersion, resourceVersionMatch, ...rest } = options;
      const start = from === undefined && resourceVersion !== undefined ? { resourceVersion } : {};
      const match = from === undefined && resourceVersionMatch !== undefined ? { resourceVersionMatch } : {};
      const next = from === undefined ? {} : { continue: from };
      const page: List<T> = await this.#list(resource, accept, {
        limit: PAGE_SIZE,
        ...rest,
        ...start,
        ...match,
        ...next,
      });
      yield page;
      from = page.metadata.continue || undefined;
    } while (from !== undefined);
  }

  async *#watch<T extends KubeObject>(
    resource: Resource,
    accept: string,
    options: WatchOptions & Projected = {},
  ): AsyncIterable<WatchEvent<T>> {
    const idle = options.idleTimeout ?? WATCH_IDLE_MS;
    const opening = Math.min(idle, WATCH_OPENING_MS);
    using watchdog = new Watchdog({ clock: this.#clock, opening, idle, signal: options.signal });
    const call: ApiCall = {
      verb: "watch",
      method: "GET",
      resource,
      scope: { namespace: options.namespace },
      accept,
      plan: eventPlan(options),
      query: {
        watch: true,
        allowWatchBookmarks: true,
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        resourceVersion: options.resourceVersion,
        resourceVersionMatch: options.resourceVersionMatch,
        sendInitialEvents: options.sendInitialEvents,
        timeoutSeconds: options.timeoutSeconds,
      },
    };
    const response = await this.#caller.open(call, watchdog.signal);
    watchdog.opened();
    options.onOpen?.();
    const received = new LineBuffer();
    for await (const chunk of response.body) {
      watchdog.heard();
      for (const line of received.add(chunk)) {
        const event = decodeEvent<T>(line, call);
        if (event.type !== "BOOKMARK") stamp(resource, event.object);
        yield event;
      }
    }
  }

  #write<T extends KubeObject>(call: ApiCall, options: WriteOptions = {}): Promise<T> {
    const query = {
      ...call.query,
      dryRun: options.dryRun ? "All" : undefined,
      fieldManager: options.fieldManager,
      fieldValidation: options.fieldValidation,
    };
    return this.#caller.call({ ...call, query }, options, options.onWarning) as Promise<T>;
  }
}

function typeOf(resource: Resource): { apiVersion: string; kind: string } {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** Gives a fresh answer the type that it was asked for under: items of a list carry none, metadata a substitute. */
function stamp<T extends object>(resource: Resource, object: T): T {
  return Object.assign(object, typeOf(resource));
}

function deleteBody(options: DeleteOptions): object {
  const { propagation, gracePeriodSeconds, dryRun, uid, resourceVersion } = options;
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy: propagation,
    gracePeriodSeconds,
    dryRun: dryRun ? ["All"] : undefined,
    preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
  };
}
