import { HttpClient } from "../kube/client/http_client.ts";
import type { KubeObject } from "../kube/object.ts";
import { celEvaluator } from "../kube/schema/cel.ts";
import { timestamp } from "../kube/write/timestamp.ts";
import type { Clock } from "../lib/clock.ts";
import type { HttpSender } from "../lib/http.ts";
import type { ServeRequest, ServeSocket } from "../lib/https_server.ts";
import type { Random } from "../lib/random.ts";
import { type Logger, silentLogger } from "../observe/log.ts";
import { acceptedCrd, isInstalled } from "./accepted_crd.ts";
import { ApiServer } from "./api/api_server.ts";
import { CRDS, followCrds, withCrdRules } from "./api/crds.ts";
import { newUid } from "./api/new_names.ts";
import type { PodExec } from "./api/pod_exec.ts";
import type { PodLogs } from "./api/pod_logs.ts";
import { ServedKinds } from "./api/served_kinds.ts";
import { type WebhookSender, Webhooks } from "./api/webhooks.ts";
import { crdLifecycle } from "./controllers/crd_lifecycle.ts";
import { eventExpiry } from "./controllers/event_expiry.ts";
import { garbageCollector } from "./controllers/garbage_collector.ts";
import { namespaceLifecycle } from "./controllers/namespace_lifecycle.ts";
import { workloadStatus } from "./controllers/workload_status.ts";
import { InProcessSender } from "./in_process_sender.ts";
import { builtinKinds } from "./kinds/builtin_kinds.ts";
import { type BundledCrd, bundledCrds } from "./kinds/bundled_crds.ts";
import type { KindInfo } from "./kinds/kind_info.ts";
import type { Store } from "./store/store.ts";

export interface ControlPlaneOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** Without it no pod has logs. */
  readonly podLogs?: PodLogs;
  /** Without it no command can be run in a pod. */
  readonly podExec?: PodExec;
  /** Reaches admission webhooks. Without it none can be reached, and each one's failure policy decides. */
  readonly webhookSender?: WebhookSender;
  /** CRDs that are there from the beginning, beside those of volume snapshots. They must have been checked before. */
  readonly crds?: readonly BundledCrd[];
}

const MANAGER = "holdfast";
const CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
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
    const { store, clock, random, webhookSender: sender } = options;
    const cel = celEvaluator();
    const builtin = builtinKinds.map((kind) =>
      kind.resource.kind === "CustomResourceDefinition" ? withCrdRules(kind, cel) : kind,
    );
    this.#options = options;
    this.#kinds = new ServedKinds(builtin);
    followCrds(store, this.#kinds);
    const admission = new Webhooks({ store, kinds: this.#kinds, clock, random, ...(sender && { sender }) });
    this.#server = new ApiServer({ ...options, kinds: this.#kinds, cel, admission });
    this.sender = new InProcessSender(this.handle, this.connect);
  }

  /** Answers a request of the API, from wherever it came. */
  readonly handle: ServeRequest = async (request) => {
    await this.#ready();
    return this.#server.handle(request);
  };

  /** Takes a connection over that is to run a command in a pod, from wherever it came. */
  readonly connect: ServeSocket = async (request, protocols) => {
    await this.#ready();
    return this.#server.connect(request, protocols);
  };

  #ready(): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /**
   * Runs what a cluster's controllers would do, until the signal ends it: CRDs become served, garbage is collected,
   * namespaces are emptied.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, random, log = silentLogger } = this.#options;
    const userAgent = "kube-controller-manager";
    const client = new HttpClient({ sender: this.sender, clock, random, userAgent });
    const ports = { store, client, kinds: this.#kinds, clock, random, log };
    const controllers = [crdLifecycle, eventExpiry, garbageCollector, namespaceLifecycle, workloadStatus];
    const halt = new AbortController();
    await Promise.all(controllers.map((controller) => controller(ports).run(signal, () => {}, halt.signal)));
  }

  /** What every cluster has from the beginning. Only what is missing is written, and all of it at once. */
  async #prepare(): Promise<void> {
    const { store, crds = [] } = this.#options;
    const namespaces = NAMESPACES.filter(
      (name) => !store.get({ resource: "namespaces", namespace: "", name }),
    );
    await Promise.all([
      ...namespaces.map((name) =>
        this.#apply("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
      ),
      ...bundledCrds.map((crd) => this.#install(crd)),
      ...crds.map((crd) => this.#install(crd, { force: "true" })),
    ]);
  }

  /** A CRD that others have changed since stays as they want it, unless it is forced. */
  async #install(crd: BundledCrd, query: Readonly<Record<string, string>> = {}): Promise<void> {
    const { store, clock, random } = this.#options;
    const key = { resource: CRDS, namespace: "", name: crd.metadata.name };
    const stored = store.get(key);
    if (stored) {
      if (!isInstalled(crd, stored)) await this.#apply(CRD_PATH, crd, query);
      return;
    }
    const { schema } = this.#kinds.find(
      "apiextensions.k8s.io",
      "v1",
      "customresourcedefinitions",
    ) as KindInfo;
    const marks = { manager: MANAGER, uid: newUid(random), now: timestamp(clock.now()), schema };
    await store.put(key, acceptedCrd(crd, marks), undefined);
  }

  async #apply(
    path: string,
    object: Pick<KubeObject, "apiVersion" | "kind"> & { readonly metadata: { readonly name: string } },
    query: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { status, body } = await this.#server.handle({
      method: "PATCH",
      path: `${path}/${object.metadata.name}`,
      query: new URLSearchParams({ fieldManager: MANAGER, ...query }),
      headers: { "content-type": "application/apply-patch+yaml" },
      body: Buffer.from(JSON.stringify(object)),
      signal: new AbortController().signal,
    });
    if (status >= 300 && status !== 409) {
      throw new Error(`${path}/${object.metadata.name} could not be prepared: ${status} ${String(body)}`);
    }
  }
}
