import { resourceName } from "../../kube/resource.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest, ServedResponse } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import type { Store } from "../store/store.ts";
import { json } from "./answer.ts";
import { listPage } from "./list.ts";
import { present } from "./present.ts";
import { notFound } from "./refusal.ts";
import { boolean, integer, type ListOptions } from "./request_options.ts";
import { scaleOf } from "./scale.ts";
import { selection } from "./selectors.ts";
import type { ServedKinds } from "./served_kinds.ts";
import { keyOf, type Place, type Target } from "./target.ts";
import { viewFrame, viewList, viewObject, viewOf } from "./views.ts";
import { watchChanges } from "./watch.ts";

export interface ReadEndpointsOptions {
  readonly store: Store;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly random: Random;
}

/** The server ends a watch that names no time of its own after this, or up to twice as long. */
const WATCH_SECONDS = 1800;

/** The verbs that read, on any kind. */
export class ReadEndpoints {
  readonly #options: ReadEndpointsOptions;

  constructor(options: ReadEndpointsOptions) {
    this.#options = options;
  }

  get(place: Place, request: ServedRequest): ServedResponse {
    const { store, clock } = this.#options;
    const { kind, name, subresource } = place;
    const object = store.get(keyOf(place));
    if (!object) throw notFound(kind.resource, name);
    if (subresource === "scale") return json(200, scaleOf(kind, present(kind, object)));
    return json(200, viewObject(viewOf(kind, request, clock), object));
  }

  list({ kind, namespace }: Target, request: ServedRequest): ServedResponse {
    const { store, clock } = this.#options;
    const { query } = request;
    const page = listPage({
      ...listOptions(query),
      store,
      resource: resourceName(kind.resource),
      namespace: namespace || undefined,
      matches: selection(selectorsIn(query), kind),
      limit: integer(query, "limit"),
    });
    return json(200, viewList(viewOf(kind, request, clock), page));
  }

  watch({ kind, namespace }: Target, request: ServedRequest): ServedResponse {
    const { store, kinds, clock, random } = this.#options;
    const { query, signal } = request;
    const view = viewOf(kind, request, clock);
    const seconds = integer(query, "timeoutSeconds") || WATCH_SECONDS * (1 + random.next());
    const frames = watchChanges({
      ...listOptions(query),
      store,
      clock,
      resource: kind.resource,
      namespace: namespace || undefined,
      matches: selection(selectorsIn(query), kind),
      allowBookmarks: boolean(query, "allowWatchBookmarks") ?? false,
      timeout: seconds * 1000,
      signal,
    });
    const lines = async function* () {
      for await (const frame of frames) {
        // A kind whose schema changed is another one: whoever watches begins again, from what was read.
        if (!kinds.all.includes(kind)) return;
        yield viewFrame(view, frame);
      }
    };
    return { status: 200, headers: { "content-type": "application/json" }, body: lines() };
  }
}

function listOptions(query: URLSearchParams): ListOptions {
  return {
    continue: query.get("continue") || undefined,
    resourceVersion: query.get("resourceVersion") || undefined,
    resourceVersionMatch: query.get("resourceVersionMatch") || undefined,
    sendInitialEvents: boolean(query, "sendInitialEvents"),
  };
}

/** The selectors of a list, a watch or a deletion of many. */
export function selectorsIn(query: URLSearchParams) {
  return {
    labelSelector: query.get("labelSelector") ?? undefined,
    fieldSelector: query.get("fieldSelector") ?? undefined,
  };
}
