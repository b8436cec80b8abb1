import { apiVersionOf, resourceName } from "../../kube/resource.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest, ServedResponse } from "../../lib/https_server.ts";
import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { json } from "./answer.ts";
import { readObject } from "./body.ts";
import { type DecodeOptions, DecodingError, decode } from "./decode.ts";
import { type Deletion, parseDeleteOptions } from "./deletion.ts";
import { listPage } from "./list.ts";
import { type ObjectWriter, type Wanted, type WriteOptions, wantReplaced } from "./object_writer.ts";
import { returnsDeleted } from "./particulars.ts";
import { checkIdentity, checkNamespace, isApply, wantPatched } from "./patching.ts";
import { selectorsIn } from "./read_endpoints.ts";
import { badRequest, invalid, Refusal } from "./refusal.ts";
import { type WriteQuery, writeQuery } from "./request_options.ts";
import { reviewed } from "./reviews.ts";
import { scaleOf, withScale } from "./scale.ts";
import { selection } from "./selectors.ts";
import type { Place, Target } from "./target.ts";
import { type User, userOf } from "./user.ts";
import { viewList, viewObject, viewOf } from "./views.ts";

export interface WriteEndpointsOptions {
  readonly writer: ObjectWriter;
  readonly deletion: Deletion;
  readonly clock: Clock;
}

/** Told what the client should know even when all goes well. */
type Warn = (text: string) => void;

/** The verbs that write, on any kind. */
export class WriteEndpoints {
  readonly #options: WriteEndpointsOptions;

  constructor(options: WriteEndpointsOptions) {
    this.#options = options;
  }

  async create({ kind, namespace }: Target, request: ServedRequest, warn: Warn): Promise<ServedResponse> {
    const { writer, clock } = this.#options;
    const options = { ...queryOf(request, "CreateOptions"), warn };
    const object = await decodeBody(kind, request, options);
    if (kind.verbs.length === 1) return json(201, reviewed(object, options.user));
    checkNamespace({ kind, namespace }, object);
    const created = await writer.create({ kind, namespace }, { object, tracked: false }, options);
    return json(201, viewObject(viewOf(kind, request, clock), created));
  }

  async update(place: Place, request: ServedRequest, warn: Warn): Promise<ServedResponse> {
    const { kind, subresource } = place;
    const options = { ...queryOf(request, "UpdateOptions"), warn };
    if (subresource === "scale") {
      const { value: scale } = await readObject(bodyOf(request), "Scale");
      checkIdentity(place, scale);
      const want = (stored: Stored | undefined) =>
        stored && { object: withScale(kind, stored, scale), tracked: false };
      return this.#written(place, request, want, options);
    }
    const object = await decodeBody(kind, request, options);
    checkIdentity(place, object);
    return this.#written(place, request, wantReplaced(place, object), options);
  }

  async patch(place: Place, request: ServedRequest, warn: Warn): Promise<ServedResponse> {
    const body = bodyOf(request);
    const options = { ...queryOf(request, "PatchOptions", isApply(body.contentType)), warn };
    const want = await wantPatched({ ...options, place, body, now: this.#options.writer.now });
    return this.#written(place, request, want, options);
  }

  async delete(place: Place, request: ServedRequest, warn: Warn): Promise<ServedResponse> {
    const { deletion, clock } = this.#options;
    const { kind, name } = place;
    const { object, gone } = await deletion.delete(place, {
      ...deleteOptionsOf(request),
      user: userOf(request),
      warn,
    });
    if (!gone || returnsDeleted(kind)) return json(200, viewObject(viewOf(kind, request, clock), object));
    const { group, plural } = kind.resource;
    const details = { name, ...(group && { group }), kind: plural, uid: object.metadata.uid };
    return json(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
  }

  async deleteCollection(
    { kind, namespace }: Target,
    request: ServedRequest,
    warn: Warn,
  ): Promise<ServedResponse> {
    const { writer, deletion, clock } = this.#options;
    const options = { ...deleteOptionsOf(request), user: userOf(request), warn };
    const page = listPage({
      store: writer.store,
      resource: resourceName(kind.resource),
      namespace: namespace || undefined,
      matches: selection(selectorsIn(request.query), kind),
    });
    deletion.warnOfDefault(kind, options);
    const items: Stored[] = [];
    for (const item of page.items) {
      const { namespace: where = "", name } = item.metadata;
      try {
        await deletion.delete({ kind, namespace: where, name }, options);
        items.push(item);
      } catch (error) {
        // Somebody else was faster.
        if (!(error instanceof Refusal && error.code === 404)) throw error;
      }
    }
    return json(200, viewList(viewOf(kind, request, clock), { ...page, items }));
  }

  async #written(
    place: Place,
    request: ServedRequest,
    want: (stored: Stored | undefined) => Wanted | undefined,
    options: WriteOptions,
  ): Promise<ServedResponse> {
    const { writer, clock } = this.#options;
    const { kind, subresource } = place;
    const { object, created } = await writer.update(place, want, options);
    const scaled = subresource === "scale";
    const body = scaled ? scaleOf(kind, object) : viewObject(viewOf(kind, request, clock), object);
    return json(created ? 201 : 200, body);
  }
}

function queryOf(
  { query, headers }: ServedRequest,
  options: Parameters<typeof writeQuery>[2],
  apply = false,
): WriteQuery & { readonly user: User } {
  return { ...writeQuery(query, headers["user-agent"], options, apply), user: userOf({ headers }) };
}

async function decodeBody(kind: KindInfo, request: ServedRequest, options: DecodeOptions): Promise<Stored> {
  const { version, kind: name } = kind.resource;
  const { value, duplicates } = await readObject(bodyOf(request), name);
  checkType(kind, value);
  try {
    return decode(kind, value, { ...options, duplicates });
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error;
    throw badRequest(`${name} in version "${version}" cannot be handled as a ${name}: ${error.message}`);
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
  if (request.body.length === 0) return parseDeleteOptions(undefined, request.query);
  try {
    return parseDeleteOptions(JSON.parse(Buffer.from(request.body).toString("utf8")), request.query);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Refusal(400, "BadRequest", `couldn't get version/kind; json parse error: ${error.message}`);
  }
}
