import type { CelEvaluator } from "../../kube/schema/rules.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest, ServedResponse, ServeSocket } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import { unreachable } from "../../lib/result.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { AGGREGATED_DISCOVERY_TYPE, discovery } from "../kinds/discovery.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Store } from "../store/store.ts";
import type { Admission } from "./admission.ts";
import { json, text, warningHeader } from "./answer.ts";
import { Deletion } from "./deletion.ts";
import { ObjectWriter } from "./object_writer.ts";
import { type PodExec, podExecSocket } from "./pod_exec.ts";
import { type PodLogs, podLogAnswer } from "./pod_logs.ts";
import { ReadEndpoints } from "./read_endpoints.ts";
import {
  badRequest,
  methodNotAllowed,
  noSuchPath,
  notFound,
  Refusal,
  refusalOf,
  tooLarge,
} from "./refusal.ts";
import { boolean } from "./request_options.ts";
import type { ServedKinds } from "./served_kinds.ts";
import { type Target, targetOf } from "./target.ts";
import { WriteEndpoints } from "./write_endpoints.ts";

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly kinds: ServedKinds;
  readonly admission: Admission;
  readonly cel: CelEvaluator;
  /** Without it no pod has logs. */
  readonly podLogs?: PodLogs;
  /** Without it no command can be run in a pod. */
  readonly podExec?: PodExec;
  readonly log?: Logger;
}

/** Larger bodies are refused, as by the real server. */
export const MAX_BODY = 3 * 2 ** 20;

/** What goes to a pod itself, beside its logs: there is nothing here that could carry it. */
const UNSERVED: Readonly<Record<string, string>> = {
  attach: "the pods of an embedded control plane cannot be attached to; follow their logs instead",
  portforward:
    "the pods of an embedded control plane share this machine's network; connect to their ports directly",
  proxy: "an embedded control plane does not proxy; connect to this machine's ports directly",
  token: "an embedded control plane issues no service account tokens; use the token of its kubeconfig",
  eviction: "an embedded control plane does not evict pods; delete them",
};

/** The Kubernetes API over a store, one request at a time. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #reading: ReadEndpoints;
  readonly #writing: WriteEndpoints;
  readonly #log: Logger;

  constructor(options: ApiServerOptions) {
    const { clock, admission } = options;
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    const writer = new ObjectWriter(options);
    const deletion = new Deletion({ writer, clock, admission });
    this.#reading = new ReadEndpoints(options);
    this.#writing = new WriteEndpoints({ writer, deletion, clock });
  }

  /** Answers a request, whatever it is; never throws. */
  readonly handle = async (request: ServedRequest): Promise<ServedResponse> => {
    const warnings = new Set<string>();
    const answer = await this.#answer(request, (text) => warnings.add(text));
    return warnings.size === 0
      ? answer
      : { ...answer, headers: { ...answer.headers, ...warningHeader(warnings) } };
  };

  /** Takes a connection over where that is asked for, or says why not; never throws. */
  readonly connect: ServeSocket = async (request, protocols) => {
    try {
      const target = targetOf(request.path, this.#options.kinds);
      if (target?.subresource !== "exec" || target.kind.resource.kind !== "Pod") {
        if (target) checkSubresource(target);
        throw noSuchPath();
      }
      const place = { ...target, name: target.name ?? "" };
      return await podExecSocket(place, request, protocols, this.#options);
    } catch (error) {
      const refusal = refusalOf(error);
      return json(refusal.code, refusal.status);
    }
  };

  async #answer(request: ServedRequest, warn: (text: string) => void): Promise<ServedResponse> {
    try {
      return await this.#route(request, warn);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!(error instanceof Refusal) && refusal.code >= 500) {
        const { method, path } = request;
        this.#log.error({ method, path, err: error }, "a request failed unexpectedly");
      }
      const seconds = refusal.details?.retryAfterSeconds;
      const headers = seconds === undefined ? {} : { "retry-after": String(seconds) };
      return json(refusal.code, refusal.status, headers);
    }
  }

  async #route(request: ServedRequest, warn: (text: string) => void): Promise<ServedResponse> {
    const { kinds } = this.#options;
    const { path } = request;
    if (request.body.length > MAX_BODY) throw tooLarge(MAX_BODY);
    if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return text(200, "ok");
    const target = targetOf(path, kinds);
    if (target) return this.#resource(target, request, warn);
    const accept = request.headers.accept ?? "";
    const document = path.startsWith("/openapi/")
      ? await openApi(kinds.all, path)
      : discovery(kinds.all, path, accept);
    if (!document) return text(404, "404 page not found\n");
    if (request.method !== "GET") throw methodNotAllowed();
    const aggregated = "kind" in document && document.kind === "APIGroupDiscoveryList";
    return json(200, document, aggregated ? { "content-type": AGGREGATED_DISCOVERY_TYPE } : {});
  }

  async #resource(
    target: Target,
    request: ServedRequest,
    warn: (text: string) => void,
  ): Promise<ServedResponse> {
    const { name = "", subresource } = target;
    if (subresource !== undefined) checkSubresource(target);
    const verb = verbOf(target, request);
    if (!verb || !target.kind.verbs.includes(verb)) throw methodNotAllowed();
    const place = { ...target, name };
    switch (verb) {
      case "get":
        if (subresource === "log") return podLogAnswer(place, request, this.#options);
        return this.#reading.get(place, request);
      case "list":
        return this.#reading.list(target, request);
      case "watch":
        return this.#reading.watch(target, request);
      case "create":
        return this.#writing.create(target, request, warn);
      case "update":
        return this.#writing.update(place, request, warn);
      case "patch":
        return this.#writing.patch(place, request, warn);
      case "delete":
        return this.#writing.delete(place, request, warn);
      case "deletecollection":
        return this.#writing.deleteCollection(target, request, warn);
      default:
        return unreachable(verb);
    }
  }
}

type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

const ON_COLLECTIONS = new Map<string, Verb>([
  ["POST", "create"],
  ["DELETE", "deletecollection"],
]);
const ON_OBJECTS = new Map<string, Verb>([
  ["GET", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** Kubernetes' verb for a method on a target; undefined when there is none. */
function verbOf(target: Target, { method, query }: ServedRequest): Verb | undefined {
  const { kind, namespace, name, subresource } = target;
  if (name === undefined) {
    if (method === "GET") return boolean(query, "watch") ? "watch" : "list";
    if (kind.resource.namespaced && namespace === "") return undefined;
    return ON_COLLECTIONS.get(method);
  }
  if (subresource === "log") return method === "GET" ? "get" : undefined;
  if (subresource !== undefined && method === "DELETE") return undefined;
  return ON_OBJECTS.get(method);
}

function checkSubresource({ kind, name = "", subresource = "" }: Target): void {
  if (subresource === "status" && kind.status) return;
  if (subresource === "scale" && kind.scale) return;
  if (kind.custom) throw notFound(kind.resource, name);
  const { kind: type } = kind.resource;
  if (subresource === "log" && type === "Pod") return;
  if (subresource === "exec" && type === "Pod") throw badRequest("Upgrade request required");
  if (subresource === "finalize" && type === "Namespace") return;
  const why = UNSERVED[subresource];
  if (why && ["Pod", "ServiceAccount", "Node"].includes(type)) throw badRequest(why);
  throw noSuchPath();
}

/** Loaded when somebody asks for the first time: the descriptions of every field take several megabytes. */
async function openApi(kinds: readonly KindInfo[], path: string): Promise<object | undefined> {
  const documents = await import("../kinds/openapi.ts");
  return documents.openApi(kinds, path);
}
