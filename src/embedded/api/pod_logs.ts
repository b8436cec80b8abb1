import type { ObjectName } from "../../kube/object.ts";
import type { ServedRequest, ServedResponse } from "../../lib/https_server.ts";
import type { Store } from "../store/store.ts";
import { badRequest, notFound } from "./refusal.ts";
import { boolean, integer } from "./request_options.ts";
import { keyOf, type Place } from "./target.ts";

export interface PodLogRequest {
  readonly container?: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
}

/** The node's logs, as the API server hands them out. Throws ApiError for a pod or container without any. */
export interface PodLogs {
  read(pod: ObjectName, request: PodLogRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Answers with a pod's log, as it comes. */
export async function podLogAnswer(
  place: Place,
  request: ServedRequest,
  { store, podLogs }: { readonly store: Store; readonly podLogs?: PodLogs },
): Promise<ServedResponse> {
  if (!store.get(keyOf(place))) throw notFound(place.kind.resource, place.name);
  if (!podLogs) throw badRequest("this control plane has no node, and its pods no logs");
  const { namespace, name } = place;
  const chunks = podLogs.read({ namespace, name }, logRequest(request.query), request.signal);
  const iterator = chunks[Symbol.asyncIterator]();
  // The first piece tells a refusal from a log: after it, the answer has begun.
  const first = await iterator.next();
  const body = async function* () {
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { status: 200, headers: { "content-type": "text/plain" }, body: body() };
}

function logRequest(query: URLSearchParams): PodLogRequest {
  const container = query.get("container");
  const tailLines = integer(query, "tailLines");
  const limitBytes = integer(query, "limitBytes");
  const sinceSeconds = integer(query, "sinceSeconds");
  return {
    follow: boolean(query, "follow") ?? false,
    previous: boolean(query, "previous") ?? false,
    timestamps: boolean(query, "timestamps") ?? false,
    ...(container && { container }),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
  };
}
