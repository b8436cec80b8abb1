import { apiVersionOf } from "../../kube/resource.ts";
import { applyDefaults } from "../../kube/schema/default.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import { validate } from "../../kube/schema/validate.ts";
import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { serverSideApply } from "../patch/apply.ts";
import { conflictStatus } from "../patch/conflict.ts";
import { applyJsonPatch } from "../patch/json_patch.ts";
import { applyMergePatch } from "../patch/merge_patch.ts";
import { PatchRefused } from "../patch/patch_refused.ts";
import { applyStrategicPatch } from "../patch/strategic_patch.ts";
import type { Stored } from "../store/store.ts";
import { type Body, mediaType, readPatch } from "./body.ts";
import { type DecodeOptions, DecodingError, decode } from "./decode.ts";
import type { Wanted } from "./object_writer.ts";
import { badRequest, invalid, Refusal, unsupportedMediaType } from "./refusal.ts";
import { scaleToPatch, withScale } from "./scale.ts";
import type { Place } from "./target.ts";

const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
const APPLY_PATCH = "application/apply-patch+yaml";

/** True for the content type of a server-side apply. */
export function isApply(contentType: string | undefined): boolean {
  return mediaType(contentType) === APPLY_PATCH;
}

export interface PatchRequest extends DecodeOptions {
  readonly place: Place;
  readonly body: Body;
  readonly manager: string;
  readonly force: boolean;
  /** As managedFields writes it. */
  readonly now: string;
}

/** What a PATCH makes of an object. Throws a Refusal for a patch of no known type. */
export async function wantPatched(
  request: PatchRequest,
): Promise<(stored: Stored | undefined) => Wanted | undefined> {
  const { place, body } = request;
  const { kind, subresource } = place;
  const type = mediaType(body.contentType);
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(kind.custom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  if (!accepted.includes(type)) {
    if (type === STRATEGIC_PATCH) throw unsupportedMediaType(accepted);
    throw new Refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  const patch = await readPatch(body);
  if (type === APPLY_PATCH) return (stored) => applied(request, patch, stored);
  return (stored) => {
    if (!stored) return undefined;
    if (subresource === "scale") {
      const scale = patched(kind, type, scaleToPatch(kind, stored), patch);
      return { object: withScale(kind, stored, scale), tracked: false };
    }
    const result = patched(kind, type, stored, patch);
    return { object: decodePatched(request, result, stored), tracked: false };
  };
}

function patched(
  kind: KindInfo,
  type: string,
  object: Stored,
  patch: unknown,
): Readonly<Record<string, unknown>> {
  return refusing(() => {
    if (type === JSON_PATCH) {
      const result = applyJsonPatch(object, patch);
      if (!isRecord(result)) throw new PatchRefused(422, REJECTED);
      return result;
    }
    return type === MERGE_PATCH
      ? applyMergePatch(object, patch)
      : applyStrategicPatch(object, patch, kind.schema);
  });
}

const REJECTED = "the server rejected our request due to an error in our request";
const REASONS = { 400: "BadRequest", 413: "RequestEntityTooLarge", 422: "Invalid", 500: "" } as const;

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PatchRefused)) throw error;
    throw new Refusal(error.code, REASONS[error.code], error.message, error.code === 422 ? {} : undefined);
  }
}

function decodePatched(
  request: PatchRequest,
  result: Readonly<Record<string, unknown>>,
  stored: Stored | undefined,
): Stored {
  const { kind } = request.place;
  checkIdentity(request.place, result);
  try {
    const object = decode(kind, { ...result }, request);
    if (!stored || object.metadata.resourceVersion) return object;
    // A patch that takes the version away wants whatever there is.
    return { ...object, metadata: { ...object.metadata, resourceVersion: stored.metadata.resourceVersion } };
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error;
    const refusal = invalid({ group: "", kind: "" }, "", [
      invalidField("patch", JSON.stringify(result), error.message),
    ]);
    const { causes } = refusal.details ?? {};
    throw new Refusal(422, "Invalid", refusal.message, causes && { causes });
  }
}

/** The name and the namespace of an object must be those of its path. */
export function checkIdentity(place: Place, object: Readonly<Record<string, unknown>>): void {
  const metadata = isRecord(object.metadata) ? object.metadata : {};
  if (!metadata.name) {
    const where = `${place.name} based on URL`;
    throw badRequest(`the name of the object (${where}) was undeterminable: name must be provided`);
  }
  if (metadata.name !== place.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${place.name})`,
    );
  }
  checkNamespace(place, object);
}

/** An object that names a namespace must name the one of its path. */
export function checkNamespace(
  { kind, namespace }: Pick<Place, "kind" | "namespace">,
  object: Readonly<Record<string, unknown>>,
): void {
  const given = isRecord(object.metadata) ? object.metadata.namespace : undefined;
  if (!kind.resource.namespaced || !given || given === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

function applied(request: PatchRequest, patch: unknown, stored: Stored | undefined): Wanted | undefined {
  const { place, manager, force, now } = request;
  const { kind, name, subresource } = place;
  if (!stored && subresource !== undefined) return undefined;
  if (!isRecord(patch)) throw badRequest("error decoding YAML: it is not an object");
  checkApplied(place, patch);
  const given = isRecord(patch.metadata) ? patch.metadata : {};
  const metadata = { ...given, name };
  const outcome = refusing(() =>
    serverSideApply({
      kind,
      live: stored,
      applied: { ...patch, metadata },
      manager,
      force,
      apiVersion: apiVersionOf(kind.resource),
      subresource,
      time: now,
    }),
  );
  if (!outcome.object) {
    const { message = "", details } = conflictStatus(outcome.conflicts);
    throw new Refusal(409, "Conflict", message, details);
  }
  if (kind.custom) checkNulls(place, outcome.object);
  const { managedFields } = outcome.object.metadata;
  const object = decodePatched(request, outcome.object, stored);
  const owned = { ...object.metadata, ...(managedFields && { managedFields }) };
  if (stored) return { object: { ...object, metadata: owned }, tracked: true };
  const { resourceVersion: _, uid: __, ...fresh } = owned;
  return { object: { ...object, metadata: fresh as Stored["metadata"] }, tracked: true };
}

/** Unlike other writes, an apply is refused for a null that its schema does not allow, even one that it left itself. */
function checkNulls({ kind, name }: Place, object: Stored): void {
  const problems = validate(kind.schema, applyDefaults(kind.schema, object, "keep"));
  if (problems.some(({ message }) => message.endsWith(': "null"')))
    throw invalid(kind.resource, name, problems);
}

function checkApplied(place: Place, patch: Readonly<Record<string, unknown>>): void {
  const { resource } = place.kind;
  const { apiVersion, kind } = patch;
  const metadata = isRecord(patch.metadata) ? patch.metadata : {};
  if (metadata.managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  if (metadata.name) checkIdentity(place, patch);
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) {
    const found = `${apiVersion ?? "/"}, Kind=${kind ?? ""}`;
    throw badRequest(
      `invalid object type: ${found}; it must be ${apiVersionOf(resource)}, Kind=${resource.kind}`,
    );
  }
}
