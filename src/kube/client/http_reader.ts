import type { Clock } from "../../lib/clock.ts";
import type { CallOptions, List, ListOptions, WatchEvent, WatchOptions } from "../client.ts";
import type { KubeObject, ObjectName } from "../object.ts";
import { eventPlan, listPlan } from "../projection.ts";
import { type Resource, typeOf } from "../resource.ts";
import { type ApiCall, JSON_TYPE } from "./api_call.ts";
import type { Caller } from "./caller.ts";
import { LineBuffer } from "./line_buffer.ts";
import { decodeEvent, Watchdog } from "./watch_stream.ts";

/** The media types in which objects are asked for. */
export interface ObjectForm {
  readonly object: string;
  readonly list: string;
}

export const WHOLE: ObjectForm = { object: JSON_TYPE, list: JSON_TYPE };
export const METADATA: ObjectForm = {
  object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
};

/** Objects in one page of `pages()`. */
const PAGE_SIZE = 500;

/** The server sends a bookmark about once a minute; longer silence means that nobody is there. */
const WATCH_IDLE_MS = 150_000;

/** The server accepts or refuses a watch at once. */
const WATCH_OPENING_MS = 30_000;

export interface HttpReaderOptions {
  readonly caller: Caller;
  readonly clock: Clock;
  readonly as: ObjectForm;
}

/**
 * Reads objects of any kind in one form. Answers are given the type that they were asked for under: items of a list
 * carry none, metadata a substitute.
 */
export class HttpReader {
  readonly #caller: Caller;
  readonly #clock: Clock;
  readonly #as: ObjectForm;

  constructor({ caller, clock, as }: HttpReaderOptions) {
    this.#caller = caller;
    this.#clock = clock;
    this.#as = as;
  }

  async get<T extends KubeObject>(resource: Resource, scope: ObjectName, options?: CallOptions): Promise<T> {
    const object = (await this.#caller.call(
      { verb: "get", method: "GET", resource, scope, accept: this.#as.object },
      options,
    )) as T;
    return Object.assign(object, typeOf(resource));
  }

  async list<T extends KubeObject>(resource: Resource, options: ListOptions = {}): Promise<List<T>> {
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
        accept: this.#as.list,
        plan: listPlan(options),
      },
      options,
    )) as { items: T[] | null; metadata: List<T>["metadata"] };
    const type = typeOf(resource);
    return { items: (list.items ?? []).map((item) => Object.assign(item, type)), metadata: list.metadata };
  }

  async *pages<T extends KubeObject>(resource: Resource, options: ListOptions = {}): AsyncIterable<List<T>> {
    let from = options.continue;
    do {
      const { resourceVersion, resourceVersionMatch, ...rest } = options;
      const start = from === undefined && resourceVersion !== undefined ? { resourceVersion } : {};
      const match = from === undefined && resourceVersionMatch !== undefined ? { resourceVersionMatch } : {};
      const next = from === undefined ? {} : { continue: from };
      const page: List<T> = await this.list(resource, {
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

  async *watch<T extends KubeObject>(
    resource: Resource,
    options: WatchOptions = {},
  ): AsyncIterable<WatchEvent<T>> {
    const idle = options.idleTimeout ?? WATCH_IDLE_MS;
    const opening = Math.min(idle, WATCH_OPENING_MS);
    using watchdog = new Watchdog({ clock: this.#clock, opening, idle, signal: options.signal });
    const call: ApiCall = {
      verb: "watch",
      method: "GET",
      resource,
      scope: { namespace: options.namespace },
      accept: this.#as.object,
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
    const type = typeOf(resource);
    const received = new LineBuffer();
    for await (const chunk of response.body) {
      watchdog.heard();
      for (const line of received.add(chunk)) {
        const event = decodeEvent<T>(line, call);
        if (event.type !== "BOOKMARK") Object.assign(event.object, type);
        yield event;
      }
    }
  }
}
