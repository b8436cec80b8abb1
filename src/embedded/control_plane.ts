import { HttpClient } from "../kube/client/http_client.ts";
import { celEvaluator } from "../kube/schema/cel.ts";
import { timestamp } from "../kube/write/timestamp.ts";
import type { Clock } from "../lib/clock.ts";
import type { HttpSender } from "../lib/http.ts";
import type { ServeRequest } from "../lib/https_server.ts";
import type { Random } from "../lib/random.ts";
import { type Logger, silentLogger } from "../observe/log.ts";
import { openAdmission } from "./api/admission.ts";
import { ApiServer } from "./api/api_server.ts";
import { asCrd, CRDS, followCrds, withCrdRules } from "./api/crds.ts";
import type { PodLogs } from "./api/pod_logs.ts";
import { ServedKinds } from "./api/served_kinds.ts";
import { crdLifecycle, establishedStatus } from "./controllers/crd_lifecycle.ts";
import { garbageCollector } from "./controllers/garbage_collector.ts";
import { namespaceLifecycle } from "./controllers/namespace_lifecycle.ts";
import { workloadStatus } from "./controllers/workload_status.ts";
import { InProcessSender } from "./in_process_sender.ts";
import { builtinKinds } from "./kinds/builtin_kinds.ts";
import { bundledCrds } from "./kinds/bundled_crds.ts";
import type { Store } from "./store/store.ts";

export interface ControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** Without it no pod has logs. */
  readonly podLogs?: PodLogs;
}

const NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The Kubernetes API of one machine, in one process: an API server over a store, and the controllers around it. */
export class ControlPlane {
  /** Reaches the API server without a network. */
  readonly sender: HttpSender;
  readonly #options: ControlPlaneOptions;
  readonly #kinds: ServedKinds;
  readonly #server: ApiServer;
  #prepared: Promise<void> | undefined;

  constructor(options: ControlPlaneOptions) {
    const { store } = options;
    const cel = celEvaluator();
    const builtin = builtinKinds.map((kind) =>
      kind.resource.kind === "CustomResourceDefinition" ? withCrdRules(kind, cel) : kind,
    );
    this.#options = options;
    this.#kinds = new ServedKinds(builtin);
    followCrds(store, this.#kinds);
    this.#server = new ApiServer({ ...options, kinds: this.#kinds, cel, admission: openAdmission });
    this.sender = new InProcessSender(this.handle);
  }

  /** Answers a request of the API, from wherever it came. */
  readonly handle: ServeRequest = async (request) => {
    this.#prepared ??= this.#prepare();
    await this.#prepared;
    return this.#server.handle(request);
  };

  /**
   * Runs what a cluster's controllers would do, until the signal ends it: CRDs become served, garbage is collected,
   * namespaces are emptied.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, random, log = silentLogger } = this.#options;
    const userAgent = "kube-controller-manager";
    const client = new HttpClient({ sender: this.sender, clock, random, userAgent });
    const ports = { store, client, kinds: this.#kinds, clock, random, log };
    const controllers = [crdLifecycle, garbageCollector, namespaceLifecycle, workloadStatus];
    const halt = new AbortController();
    await Promise.all(controllers.map((controller) => controller(ports).run(signal, () => {}, halt.signal)));
  }

  /** What every cluster has from the beginning. */
  async #prepare(): Promise<void> {
    const { store } = this.#options;
    const send = async (path: string, body: object) => {
      const request = {
        method: "POST",
        path,
        query: new URLSearchParams(),
        headers: { "user-agent": "kube-apiserver" },
      };
      const bytes = Buffer.from(JSON.stringify(body));
      const { status, body: answer } = await this.#server.handle({
        ...request,
        body: bytes,
        signal: new AbortController().signal,
      });
      if (status !== 201 && status !== 409)
        throw new Error(`${path}: the control plane could not be prepared: ${status} ${answer}`);
    };
    for (const name of NAMESPACES) {
      if (store.get({ resource: "namespaces", namespace: "", name })) continue;
      await send("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    for (const crd of bundledCrds) {
      const key = { resource: CRDS, namespace: "", name: crd.metadata.name };
      if (store.get(key)) continue;
      await send("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
      const created = store.get(key);
      if (!created) continue;
      const status = establishedStatus(asCrd(created), [], timestamp(this.#options.clock.now()));
      await store.put(key, { ...created, status }, created.metadata.resourceVersion);
    }
  }
}
