import { apiVersionOf, resourceName } from "../../kube/resource.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest, ServedResponse } from "../../lib/https_server.ts";
import { isRecord } from "../../lib/json.ts";
import type { Random } from "../../lib/random.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { json, Warnings } from "./answer.ts";
import { readObject, readPatch } from "./body.ts";
import { DecodingError, decode } from "./decode.ts";
import { type Deletion, parseDeleteOptions } from "./deletion.ts";
import { listPage } from "./list.ts";
import { formOf } from "./negotiation.ts";
import type { ObjectWriter, Place, Written } from "./object_writer.ts";
import { returnsDeleted } from "./particulars.ts";
import { checkIdentity, checkNamespace, isApply, wantPatched } from "./patching.ts";
import { badRequest, invalid, Refusal } from "./refusal.ts";
import { boolean, integer, writeQuery } from "./request_options.ts";
import { reviewed } from "./reviews.ts";
import { scaleOf, withScale } from "./scale.ts";
import { selection } from "./selectors.ts";
import type { Target } from "./target.ts";
import { type View, viewFrame, viewList, viewObject } from "./views.ts";
import { watchChanges } from "./watch.ts";

export interface EndpointsOptions {
  readonly writer: ObjectWriter;
  readonly deletion: Deletion;
  readonly clock: Clock;
  readonly random: Random;
}

/** The server ends a watch of which the client did not say how long it may take after this, or up to twice as long. */
const WATCH_SECONDS = 1800;

/** The verbs of the API, on any kind. */
export class Endpoints {
  readonly #options: EndpointsOptions;

  constructor(options: EndpointsOptions) {
    this.#options = options;
  }

  get(target: Target & { name: string }, request: ServedRequest): ServedResponse {
    const object = this.#options.writer.get(target);
    if (target.subresource === "scale") return json(200, scaleOf(target.kind, object));
    return json(200, viewObject(this.#view(target, request), object));
  }

  list(target: Target, request: ServedRequest): ServedResponse {
    const { query } = request;
    const page = listPage({
      store: this.#options.writer.store,
      resource: resourceName(target.kind.resource),
      namespace: target.namespace || undefined,
      matches: selectionOf(target, query),
      limit: integer(query, "limit"),
      continue: query.get("continue") || undefined,
      resourceVersion: query.get("resourceVersion") || undefined,
      resourceVersionMatch: query.get("resourceVersionMatch") || undefined,
      sendInitialEvents: boolean(query, "sendInitialEvents"),
    });
    return json(200, viewList(this.#view(target, request), page));
  }

  watch(target: Target, request: ServedRequest): ServedResponse {
    const { writer, clock, random } = this.#options;
    const { query, signal } = request;
    const view = this.#view(target, request);
    const seconds = integer(query, "timeoutSeconds") || WATCH_SECONDS * (1 + random.next());
    const frames = watchChanges({
      store: writer.store,
      clock,
      resource: target.kind.resource,
      namespace: target.namespace || undefined,
      matches: selectionOf(target, query),
      resourceVersion: query.get("resourceVersion") || undefined,
      resourceVersionMatch: query.get("resourceVersionMatch") || undefined,
      sendInitialEvents: boolean(query, "sendInitialEvents"),
      allowBookmarks: boolean(query, "allowWatchBookmarks") ?? false,
      timeout: seconds * 1000,
      signal,
    });
    const lines = async function* () {
      for await (const frame of frames) yield viewFrame(view, frame);
    };
    return { status: 200, headers: { "content-type": "application/json" }, body: lines() };
  }

  async create(target: Target, request: ServedRequest): Promise<ServedResponse> {
    const { writer } = this.#options;
    const { kind, namespace } = target;
    const options = writeQuery(request.query, request.headers["user-agent"], "CreateOptions", false);
    const warnings = new Warnings();
    const object = this.#decode(target, request, { ...options, ...warnings });
    if (kind.verbs.length === 1) return json(201, reviewed(object), warnings.headers);
    checkNamespace({ kind, namespace }, object);
    const created = await writer.create(
      { kind, namespace },
      { object, tracked: false },
      { ...options, ...warnings },
    );
    return json(201, viewObject(this.#view(target, request), created), warnings.headers);
  }

  async update(place: Place, request: ServedRequest): Promise<ServedResponse> {
    const { writer } = this.#options;
    const { kind, subresource } = place;
    const options = writeQuery(request.query, request.headers["user-agent"], "UpdateOptions", false);
    const warnings = new Warnings();
    if (subresource === "scale") {
      const { value: scale } = readObject(bodyOf(request), "Scale");
      checkIdentity(place, scale);
      const want = (stored: Stored | undefined) =>
        stored && { object: withScale(kind, stored, scale), tracked: false };
      return this.#written(
        place,
        request,
        await writer.update(place, want, { ...options, ...warnings }),
        warnings,
      );
    }
    const object = this.#decode(place, request, { ...options, ...warnings });
    checkIdentity(place, object);
    const want = writer.wantUpdate(place, object);
    return this.#written(
      place,
      request,
      await writer.update(place, want, { ...options, ...warnings }),
      warnings,
    );
  }

  async patch(place: Place, request: ServedRequest): Promise<ServedResponse> {
    const { writer } = this.#options;
    const body = bodyOf(request);
    const apply = isApply(body.contentType);
    const options = writeQuery(request.query, request.headers["user-agent"], "PatchOptions", apply);
    const warnings = new Warnings();
    const want = wantPatched({ ...options, ...warnings, place, body, now: writer.now });
    return this.#written(
      place,
      request,
      await writer.update(place, want, { ...options, ...warnings }),
      warnings,
    );
  }

  async delete(place: Place, request: ServedRequest): Promise<ServedResponse> {
    const { deletion } = this.#options;
    const warnings = new Warnings();
    const { object, gone } = await deletion.delete(place, { ...deleteOptionsOf(request), ...warnings });
    if (!gone || returnsDeleted(place.kind)) {
      return json(200, viewObject(this.#view(place, request), object), warnings.headers);
    }
    const { group, plural } = place.kind.resource;
    const details = { name: place.name, ...(group && { group }), kind: plural, uid: object.metadata.uid };
    return json(
      200,
      { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details },
      warnings.headers,
    );
  }

  async deleteCollection(target: Target, request: ServedRequest): Promise<ServedResponse> {
    const { writer, deletion } = this.#options;
    const { kind, namespace } = target;
    const warnings = new Warnings();
    const options = { ...deleteOptionsOf(request), ...warnings };
    const page = listPage({
      store: writer.store,
      resource: resourceName(kind.resource),
      namespace: namespace || undefined,
      matches: selectionOf(target, request.query),
    });
    const items: Stored[] = [];
    for (const { metadata } of page.items) {
      const place = { kind, namespace: metadata.namespace ?? "", name: metadata.name };
      const { object } = await deletion.delete(place, options).catch((error) => {
        if (error instanceof Refusal && error.code === 404) return { object: undefined };
        throw error;
      });
      if (object) items.push(object);
    }
    return json(200, viewList(this.#view(target, request), { ...page, items }), warnings.headers);
  }

  #written(
    place: Place,
    request: ServedRequest,
    { object, created }: Written,
    warnings: Warnings,
  ): ServedResponse {
    const body =
      place.subresource === "scale"
        ? scaleOf(place.kind, object)
        : viewObject(this.#view(place, request), object);
    return json(created ? 201 : 200, body, warnings.headers);
  }

  #view({ kind }: Pick<Target, "kind">, { headers, query }: ServedRequest): View {
    const given = query.get("includeObject");
    const includeObject = given === "None" || given === "Object" ? given : "Metadata";
    return { kind, form: formOf(headers.accept), includeObject, now: this.#options.clock.now() };
  }

  #decode(
    { kind }: Pick<Target, "kind">,
    request: ServedRequest,
    options: Parameters<typeof decode>[2],
  ): Stored {
    const { resource } = kind;
    const { value, duplicates } = readObject(bodyOf(request), resource.kind);
    checkType(kind, value);
    try {
      return decode(kind, value, { ...options, duplicates });
    } catch (error) {
      if (!(error instanceof DecodingError)) throw error;
      throw badRequest(
        `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${error.message}`,
      );
    }
  }
}

/** The object is what the path is about. Only built-in kinds may leave that open. */
function checkType({ resource, custom }: KindInfo, object: Record<string, unknown>): void {
  const wanted = apiVersionOf(resource);
  if (custom && object.kind === undefined) {
    const shown = JSON.stringify(object);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${shown}' (${shown})`,
    );
  }
  const { apiVersion = wanted, kind = resource.kind } = object;
  if (custom && apiVersion !== wanted) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
  if (apiVersion === wanted && kind === resource.kind) return;
  if (!custom) {
    const why =
      apiVersion === wanted
        ? `converting (${resource.version}.${kind}) to (${resource.group.split(".")[0] || "core"}.${resource.kind}): unknown conversion`
        : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:110"`;
    const version = String(apiVersion).split("/").at(-1);
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`);
  }
  const metadata = isRecord(object.metadata) ? object.metadata : {};
  throw invalid({ group: resource.group, kind: String(object.kind) }, String(metadata.name ?? ""), [
    invalidField("kind", object.kind, `must be ${resource.kind}`),
  ]);
}

function bodyOf({ body, headers }: ServedRequest) {
  return { bytes: body, contentType: headers["content-type"] };
}

function deleteOptionsOf(request: ServedRequest) {
  const body = request.body.length > 0 ? readPatch(bodyOf(request)) : undefined;
  return parseDeleteOptions(body, request.query);
}

function selectionOf({ kind }: Target, query: URLSearchParams) {
  const labelSelector = query.get("labelSelector") ?? undefined;
  const fieldSelector = query.get("fieldSelector") ?? undefined;
  return selection({ labelSelector, fieldSelector }, kind);
}
