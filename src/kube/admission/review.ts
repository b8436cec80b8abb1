import { isRecord } from "../../lib/json.ts";
import { err, messageOf, ok, type Result } from "../../lib/result.ts";
import type { JsonPatch } from "../client.ts";
import type { KubeObject } from "../object.ts";

/** CONNECT (exec, port-forward) is left out: nothing is stored, and its objects have no metadata. */
export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** What the API server asks: may this operation go ahead? */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: Operation;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** Empty for the object itself. */
  readonly subResource: string;
  /** Empty on a create that leaves the name to the server. */
  readonly name: string;
  /** Empty for what has no namespace. */
  readonly namespace: string;
  /** As it would be stored; absent on DELETE. Its metadata is not yet complete on CREATE. */
  readonly object: T | undefined;
  /** As it is stored; absent on CREATE. */
  readonly oldObject: T | undefined;
  readonly user: { readonly username: string; readonly uid: string; readonly groups: readonly string[] };
  /** Nothing will be stored. A webhook has no side effects in any case. */
  readonly dryRun: boolean;
}

/** Yes, perhaps with words for the user. */
export interface Allowed {
  readonly allowed: true;
  /** Shown by kubectl, each cut at 256 characters; keep them under 120. */
  readonly warnings?: readonly string[];
}

/** No. The message says what is refused, why, and what to do. */
export interface Denied {
  readonly allowed: false;
  readonly message: string;
  /** The HTTP status that the user's client gets. Default 403. */
  readonly code?: number;
  readonly warnings?: readonly string[];
}

export type Verdict = Allowed | Denied;

/** Why a body is not a review, with the HTTP status to answer. */
export interface Unreadable {
  readonly status: 400 | 415;
  readonly message: string;
}

const API_VERSION = "admission.k8s.io/v1";
const OPERATIONS: readonly string[] = ["CREATE", "UPDATE", "DELETE"] satisfies Operation[];

/** Reads an AdmissionReview. Never throws, whatever the bytes. */
export function parseReview(body: Uint8Array, contentType: string): Result<AdmissionRequest, Unreadable> {
  if (contentType.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    return err({
      status: 415,
      message: `the content type is ${JSON.stringify(contentType)}; send application/json`,
    });
  }
  let review: unknown;
  try {
    review = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    return unreadable(`the body is not JSON: ${messageOf(error)}`);
  }
  if (!isRecord(review) || review.kind !== "AdmissionReview") {
    return unreadable("the body is not an AdmissionReview");
  }
  if (review.apiVersion !== API_VERSION) {
    return unreadable(`the review is of version ${JSON.stringify(review.apiVersion)}; send ${API_VERSION}`);
  }
  return isRecord(review.request) ? parseRequest(review.request) : unreadable("the review holds no request");
}

function parseRequest(request: Readonly<Record<string, unknown>>): Result<AdmissionRequest, Unreadable> {
  const { uid, operation, resource, object, oldObject, userInfo } = request;
  if (typeof uid !== "string" || uid === "") return unreadable("the request has no uid");
  if (!isOperation(operation))
    return unreadable(`the operation ${JSON.stringify(operation)} is none of ${OPERATIONS}`);
  if (!isRecord(resource) || typeof resource.resource !== "string")
    return unreadable("the request has no resource");
  if (!isObject(object) || !isObject(oldObject))
    return unreadable("object or oldObject is not a Kubernetes object");
  const user = isRecord(userInfo) ? userInfo : {};
  return ok({
    uid,
    operation,
    resource: { group: text(resource.group), version: text(resource.version), resource: resource.resource },
    subResource: text(request.subResource),
    name: text(request.name),
    namespace: text(request.namespace),
    object: object ?? undefined,
    oldObject: oldObject ?? undefined,
    user: { username: text(user.username), uid: text(user.uid), groups: texts(user.groups) },
    dryRun: request.dryRun === true,
  });
}

/** The AdmissionReview that answers a request, as JSON. */
export function writeReview(uid: string, verdict: Verdict, patch: JsonPatch = []): string {
  const warnings = boundedWarnings(verdict.warnings ?? []);
  const response = {
    uid,
    allowed: verdict.allowed,
    ...(warnings.length > 0 && { warnings }),
    ...(verdict.allowed
      ? patch.length > 0 && {
          patchType: "JSONPatch",
          patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
        }
      : { status: statusOf(verdict) }),
  };
  return JSON.stringify({ apiVersion: API_VERSION, kind: "AdmissionReview", response });
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  403: "Forbidden",
  409: "Conflict",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function statusOf({ code = 403, message }: Denied) {
  return { status: "Failure", code, message, ...(REASONS[code] && { reason: REASONS[code] }) };
}

/** The API server cuts a warning at 256 characters, and drops those beyond 4096 in all. */
const LONGEST_WARNING = 256;
const ALL_WARNINGS = 4096;

function boundedWarnings(warnings: readonly string[]): readonly string[] {
  let left = ALL_WARNINGS;
  return warnings.map(warningText).filter((warning) => {
    left -= warning.length;
    return warning !== "" && left >= 0;
  });
}

/** Warnings travel in an HTTP header, where a line break would end it. */
function warningText(warning: string): string {
  const line = warning
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= LONGEST_WARNING
    ? line
    : `${characters.slice(0, LONGEST_WARNING - 1).join("")}…`;
}

function unreadable(message: string): Result<never, Unreadable> {
  return err({ status: 400, message });
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "string" && OPERATIONS.includes(value);
}

function isObject(value: unknown): value is KubeObject | null | undefined {
  if (value === null || value === undefined) return true;
  return isRecord(value) && isRecord(value.metadata);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
