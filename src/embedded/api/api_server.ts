import type { CelEvaluator } from "../../kube/schema/rules.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedRequest, ServedResponse } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { AGGREGATED_DISCOVERY_TYPE, discovery } from "../kinds/discovery.ts";
import { openApi } from "../kinds/openapi.ts";
import type { Store } from "../store/store.ts";
import type { Admission } from "./admission.ts";
import { json, text } from "./answer.ts";
import { Deletion } from "./deletion.ts";
import { Endpoints } from "./endpoints.ts";
import { ObjectWriter } from "./object_writer.ts";
import { podLogAnswer } from "./pod_log_answer.ts";
import type { PodLogs } from "./pod_logs.ts";
import { methodNotAllowed, noSuchPath, Refusal, refusalOf, tooLarge } from "./refusal.ts";
import { boolean } from "./request_options.ts";
import type { ServedKinds } from "./served_kinds.ts";
import { type Target, targetOf } from "./target.ts";

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly kinds: ServedKinds;
  readonly admission: Admission;
  readonly cel: CelEvaluator;
  /** Without it no pod has logs. */
  readonly podLogs?: PodLogs;
  readonly log?: Logger;
}

/** Larger bodies are refused, as by the real server. */
export const MAX_BODY = 3 * 2 ** 20;

/** What goes to a pod itself, beside its logs: there is nothing here that could carry it. */
const UNSERVED: Readonly<Record<string, string>> = {
  exec: "commands cannot be run in the pods of an embedded control plane; run them on this machine",
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
  readonly #endpoints: Endpoints;
  readonly #log: Logger;

  constructor(options: ApiServerOptions) {
    const { clock, random, admission } = options;
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    const writer = new ObjectWriter(options);
    const deletion = new Deletion({ writer, clock, admission });
    this.#endpoints = new Endpoints({ writer, deletion, clock, random });
  }

  /** Answers a request, whatever it is; never throws. */
  readonly handle = async (request: ServedRequest): Promise<ServedResponse> => {
    try {
      return await this.#route(request);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!(error instanceof Refusal) && refusal.code >= 500) {
        const { method, path } = request;
        this.#log.error({ method, path, err: error }, "a request failed unexpectedly");
      }
      const seconds = refusal.details?.retryAfterSeconds;
      return json(
        refusal.code,
        refusal.status,
        seconds === undefined ? {} : { "retry-after": String(seconds) },
      );
    }
  };

  async #route(request: ServedRequest): Promise<ServedResponse> {
    const { kinds } = this.#options;
    const { path } = request;
    if (request.body.length > MAX_BODY) throw tooLarge(MAX_BODY);
    if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return text(200, "ok");
    const target = targetOf(path, kinds);
    if (target) return this.#resource(target, request);
    const accept = request.headers.accept ?? "";
    const document = path.startsWith("/openapi/")
      ? openApi(kinds.all, path)
      : discovery(kinds.all, path, accept);
    if (!document) return text(404, "404 page not found\n");
    if (request.method !== "GET") throw methodNotAllowed();
    const aggregated = "kind" in document && document.kind === "APIGroupDiscoveryList";
    return json(200, document, aggregated ? { "content-type": AGGREGATED_DISCOVERY_TYPE } : {});
  }

  async #resource(target: Target, request: ServedRequest): Promise<ServedResponse> {
    const { method, query } = request;
    const { name, subresource } = target;
    if (subresource !== undefined) checkSubresource(target);
    if (name === undefined) {
      if (method === "GET") {
        const watches = boolean(query, "watch") ?? false;
        return this.#allowed(target, watches ? "watch" : "list")[watches ? "watch" : "list"](target, request);
      }
      const everywhere = target.kind.resource.namespaced && target.namespace === "";
      if (method === "POST" && !everywhere) return this.#allowed(target, "create").create(target, request);
      if (method === "DELETE" && !everywhere) {
        return this.#allowed(target, "deletecollection").deleteCollection(target, request);
      }
      throw methodNotAllowed();
    }
    const place = { ...target, name };
    if (subresource === "log") {
      if (method !== "GET") throw methodNotAllowed();
      return podLogAnswer(place, request, this.#options);
    }
    switch (method) {
      case "GET":
        return this.#allowed(target, "get").get(place, request);
      case "PUT":
        return this.#allowed(target, "update").update(place, request);
      case "PATCH":
        return this.#allowed(target, "patch").patch(place, request);
      case "DELETE":
        if (subresource === undefined) return this.#allowed(target, "delete").delete(place, request);
        throw methodNotAllowed();
      default:
        throw methodNotAllowed();
    }
  }

  #allowed({ kind }: Target, verb: string): Endpoints {
    if (!kind.verbs.includes(verb)) throw methodNotAllowed();
    return this.#endpoints;
  }
}

function checkSubresource({ kind, subresource = "" }: Target): void {
  if (subresource === "status" && kind.status) return;
  if (subresource === "scale" && kind.scale) return;
  if (!kind.custom) {
    const { kind: name } = kind.resource;
    if (subresource === "log" && name === "Pod") return;
    if (subresource === "finalize" && name === "Namespace") return;
    const why = UNSERVED[subresource];
    if (why && ["Pod", "Service", "ServiceAccount", "Node"].includes(name)) {
      throw new Refusal(400, "BadRequest", why);
    }
  }
  throw noSuchPath();
}
