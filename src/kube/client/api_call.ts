import { HttpFailure, type HttpRequest, type HttpResponse } from "../../lib/http.ts";
import { ApiError, ApplyConflict, type Status } from "../api_error.ts";
import type { Plan } from "../projection.ts";
import { pathOf, type Resource, type ResourceScope, resourceName } from "../resource.ts";
import { projectedText } from "./projected_text.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One call of the API, before it becomes an HTTP request. */
export interface ApiCall {
  /** Kubernetes' verb, or what else is asked of an object, for errors and metrics. */
  readonly verb: string;
  readonly method: HttpRequest["method"];
  readonly resource: Resource;
  readonly scope: ResourceScope;
  readonly query?: Query;
  /** Default JSON. */
  readonly accept?: string;
  readonly body?: unknown;
  /** Default JSON. */
  readonly contentType?: string;
  /** What is kept of the answer. Default: all. */
  readonly plan?: Plan;
}

export const JSON_TYPE = "application/json";

/** `pods`, `deployments.apps/scale`: what the call is about. */
export function targetOf(call: ApiCall): string {
  const { subresource } = call.scope;
  return resourceName(call.resource) + (subresource ? `/${subresource}` : "");
}

/** How errors name the call: `update deployments.apps/scale web/front`. */
export function describe(call: ApiCall): string {
  const { namespace, name } = call.scope;
  return [call.verb, targetOf(call), [namespace, name].filter(Boolean).join("/")].filter(Boolean).join(" ");
}

export function requestOf(call: ApiCall): HttpRequest {
  const headers: Record<string, string> = { accept: call.accept ?? JSON_TYPE };
  if (call.body !== undefined) headers["content-type"] = call.contentType ?? JSON_TYPE;
  return {
    method: call.method,
    path: pathOf(call.resource, call.scope) + queryString(call.query),
    headers,
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  };
}

function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return params.size === 0 ? "" : `?${params}`;
}

export function parseAnswer(body: Buffer, call: ApiCall): unknown {
  try {
    return JSON.parse(projectedText(body, call.plan));
  } catch (cause) {
    const message = `${describe(call)}: the answer is not JSON: is this the address of an API server?`;
    throw new HttpFailure(message, { code: "ENOTJSON", sent: true, cause });
  }
}

/** What an answer that is not a success stands for. */
export function refusalOf(call: ApiCall, response: HttpResponse, body: Buffer): ApiError {
  const seconds = Number.parseInt(response.headers["retry-after"] ?? "", 10);
  const options = {
    request: describe(call),
    code: response.status,
    status: parseStatus(body.toString("utf8")),
    retryAfter: Number.isNaN(seconds) ? undefined : seconds * 1000,
  };
  const error = new ApiError(options);
  const conflict = error.causes.some((cause) => cause.reason === "FieldManagerConflict");
  return conflict ? new ApplyConflict(options) : error;
}

function parseStatus(text: string): Status {
  try {
    const parsed = JSON.parse(text) as Status | null;
    if (parsed?.kind === "Status") return parsed;
  } catch {
    // Not from the API server itself: a proxy's page, or the plain text of a filter before it.
  }
  return { message: text.trim().slice(0, 1024) };
}

/** The texts of a `Warning` header: `299 - "text", 299 - "text"`. */
export function parseWarnings(header: string | undefined): string[] {
  if (!header) return [];
  const quoted = header.matchAll(/\d{3} [^ ]+ "((?:[^"\\]|\\.)*)"/g);
  return [...quoted].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1"));
}
