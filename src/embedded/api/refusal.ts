import { ApiError, type Status, type StatusCause } from "../../kube/api_error.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import { type Problem, problemText } from "../../kube/schema/problem.ts";
import { messageOf } from "../../lib/result.ts";

/** An answer that is no, in the words and the form of the API server. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: number;
  readonly reason: string;
  readonly details: Status["details"];

  constructor(code: number, reason: string, message: string, details?: Status["details"]) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The body of the answer. */
  get status(): object {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

/** Whatever was thrown, as an answer. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ApiError) {
    const details = error.causes.length > 0 ? { causes: error.causes } : undefined;
    // Its message begins with the request that was refused, which here is another one.
    return new Refusal(error.code, error.reason, error.message.replace(/^[^:]*: /, ""), details);
  }
  const message = messageOf(error);
  return new Refusal(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, "BadRequest", message);
}

/** The path leads nowhere. */
export function noSuchPath(): Refusal {
  return new Refusal(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): Refusal {
  const message = "the server does not allow this method on the requested resource";
  return new Refusal(405, "MethodNotAllowed", message, {});
}

export function unsupportedMediaType(accepted: readonly string[]): Refusal {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new Refusal(415, "UnsupportedMediaType", message);
}

export function tooLarge(limit: number): Refusal {
  return new Refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);
}

function named(resource: Resource, name: string) {
  return { name, ...(resource.group && { group: resource.group }), kind: resource.plural };
}

export function notFound(resource: Resource, name: string): Refusal {
  const message = `${resourceName(resource)} ${JSON.stringify(name)} not found`;
  return new Refusal(404, "NotFound", message, named(resource, name));
}

export function alreadyExists(
  resource: Resource,
  name: string,
  { generated, deleting }: { readonly generated: boolean; readonly deleting: boolean },
): Refusal {
  const more = generated ? ", the server was not able to generate a unique name for the object" : "";
  const before = deleting ? "object is being deleted: " : "";
  const message = `${before}${resourceName(resource)} ${JSON.stringify(name)} already exists${more}`;
  return new Refusal(409, "AlreadyExists", message, named(resource, name));
}

export function forbidden(
  resource: Resource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): Refusal {
  const message = `${resourceName(resource)} ${JSON.stringify(name)} is forbidden: ${why}`;
  return new Refusal(403, "Forbidden", message, { ...named(resource, name), ...(causes && { causes }) });
}

export function conflict(resource: Resource, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resourceName(resource)} ${JSON.stringify(name)}: ${why}`;
  return new Refusal(409, "Conflict", message, named(resource, name));
}

export const MODIFIED =
  "the object has been modified; please apply your changes to the latest version and try again";

/** A precondition of a deletion that does not hold; the API server names the kind here, not the resource. */
export function preconditionFailed(resource: Resource, name: string, why: string): Refusal {
  const { group, kind } = resource;
  const qualified = group ? `${kind}.${group}` : kind;
  const message = `Operation cannot be fulfilled on ${qualified} ${JSON.stringify(name)}: ${why}`;
  return new Refusal(409, "Conflict", message, { name, ...(group && { group }), kind });
}

/** What is wrong with an object, or with the options of a request, that is named by group and kind. */
export function invalid(
  what: { readonly group: string; readonly kind: string },
  name: string,
  problems: readonly Problem[],
): Refusal {
  const qualified = what.group ? `${what.kind}.${what.group}` : what.kind;
  const texts = [...new Set(problems.map(problemText))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new Refusal(422, "Invalid", `${qualified} ${JSON.stringify(name)} is invalid: ${list}`, {
    ...(name && { name }),
    ...(what.group && { group: what.group }),
    kind: what.kind,
    causes: problems.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** Options of a request that make no sense. */
export function invalidOptions(kind: string, ...problems: readonly Problem[]): Refusal {
  return invalid({ group: "meta.k8s.io", kind }, "", problems);
}
