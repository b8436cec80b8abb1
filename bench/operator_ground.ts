import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { kubeconfigOf, openAccess } from "../src/embedded/access.ts";
import { ControlPlane } from "../src/embedded/control_plane.ts";
import { serveHttps } from "../src/embedded/https_front.ts";
import { JobRunner } from "../src/embedded/node/jobs/job_runner.ts";
import { MemoryStore } from "../src/embedded/store/memory_store.ts";
import { type Backup, backupResource } from "../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../src/kinds/kopiur/generated/backup_config.ts";
import { type RepositoryStatus, repositoryResource } from "../src/kinds/kopiur/generated/repository.ts";
import { Jobs, Namespaces, Pods } from "../src/kube/builtin.ts";
import { Informers } from "../src/kube/cache/informers.ts";
import { HttpClient } from "../src/kube/client/http_client.ts";
import type { KubeObject } from "../src/kube/object.ts";
import type { Resource } from "../src/kube/resource.ts";
import { EventRecorder } from "../src/kube/write/events.ts";
import { systemClock as clock } from "../src/lib/clock.ts";
import { HttpsSender } from "../src/lib/https_sender.ts";
import { listen, type ServedRequest } from "../src/lib/https_server.ts";
import { systemRandom as random } from "../src/lib/random.ts";
import { APIS } from "../src/main/apis.ts";
import { silentLogger as log } from "../src/observe/log.ts";
import { noWatchObserver } from "../src/observe/observers.ts";
import { installCrds } from "../test/scenarios/install_crds.ts";
import { FakeNode, type Fate } from "../test/unit/runs/fake_node.ts";
import { FakeRepository } from "../test/unit/runs/fake_repository.ts";
import { FakeStorage } from "../test/unit/runs/kopiur/fake_storage.ts";

export const BENCH_NAMESPACE = "bench";
const TICK = 50;
/** The path of a collection: a group and a version, perhaps a namespace, and a kind. */
const COLLECTION = /^\/apis?(\/[^/]+)?\/v[^/]+(\/namespaces\/[^/]+)?\/[^/?]+(\?|$)/;

/** Counts the operator's requests, watches apart. */
class Calls {
  #perSecond = new Map<number, number>();
  /** Those that read a whole collection. */
  lists = 0;

  note({ method, path }: Pick<ServedRequest, "method" | "path">): void {
    if (method === "GET" && COLLECTION.test(path)) this.lists += 1;
    const second = Math.floor(performance.now() / 1000);
    this.#perSecond.set(second, (this.#perSecond.get(second) ?? 0) + 1);
  }

  reset(): void {
    this.#perSecond = new Map();
    this.lists = 0;
  }

  get total(): number {
    return [...this.#perSecond.values()].reduce((sum, one) => sum + one, 0);
  }

  get busiest(): number {
    return Math.max(0, ...this.#perSecond.values());
  }
}

/** A control plane over HTTPS, a driver, and a node whose movers do their work in an instant; with a repository. */
export class OperatorGround implements AsyncDisposable {
  readonly folder: string;
  readonly calls = new Calls();
  readonly client: HttpClient;
  kubeconfig = "";
  readonly #plane: ControlPlane;
  readonly #node: FakeNode;
  readonly #storage: FakeStorage;
  readonly #fates: Fate[] = [];
  readonly #end = new AbortController();
  #ticking: Promise<void> = Promise.resolve();

  static async open(folder: string): Promise<OperatorGround> {
    const ground = new OperatorGround(folder);
    await ground.#start();
    return ground;
  }

  private constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#plane = new ControlPlane({
      store: new MemoryStore({ clock }),
      clock,
      random,
      podLogs: { read: (name) => this.#node.read(name) },
      webhookSender: ({ url, ca }) => new HttpsSender({ url, ...(ca ? { tls: { ca } } : {}) }),
    });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random, userAgent: "bench" });
    const { client } = this;
    this.#node = new FakeNode({ client, clock, repository: new FakeRepository(), fates: this.#fates });
    this.#storage = new FakeStorage(client, clock);
  }

  async #start(): Promise<void> {
    const { client } = this;
    const { signal } = this.#end;
    void this.#plane.run(signal);
    // Those of all APIs: which of them are served is the operator's setting.
    for (const api of APIS) await installCrds(client, await api.crds(), signal);
    for (const name of [BENCH_NAMESPACE, "holdfast"]) await client.create(Namespaces, { metadata: { name } });
    const ports = { client, clock, random, log };
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const caches = { jobs: informers.cache({ resource: Jobs }), pods: informers.cache({ resource: Pods }) };
    const events = new EventRecorder({ writer: client, clock, random, log, component: "job" });
    const runner = new JobRunner({ ...ports, ...caches, events, nodeName: "node-1" });
    void informers.run(signal);
    void runner.controller.run(signal, () => {});
    await this.#storage.install();
    for (const name of ["data", "store"]) await this.#storage.claim(BENCH_NAMESPACE, name);
    await this.#repository();
    await this.#serve();
    this.#ticking = this.#tick();
  }

  async #serve(): Promise<void> {
    const access = openAccess({ folder: join(this.folder, "keys"), clock, random });
    const { tls, token } = access;
    const front = await serveHttps({
      listen,
      tls: () => tls,
      token,
      handle: (request) => {
        const { "user-agent": agent = "" } = request.headers;
        if (agent.startsWith("holdfast-operator") && !request.path.includes("watch=true"))
          this.calls.note(request);
        return this.#plane.handle(request);
      },
    });
    this.kubeconfig = kubeconfigOf(access, `https://127.0.0.1:${front.port}`);
    this.#end.signal.addEventListener("abort", () => void front.close(AbortSignal.abort()), { once: true });
  }

  async #repository(): Promise<void> {
    const { client } = this;
    await client.create(repositoryResource, {
      metadata: { namespace: BENCH_NAMESPACE, name: "nas" },
      spec: {
        backend: { filesystem: { pvc: { name: "store" } } },
        encryption: { passwordSecretRef: { name: "creds" } },
        catalog: { enabled: false },
        maintenance: { enabled: false },
      } as never,
    });
    await client.create(backupConfigResource, {
      metadata: { namespace: BENCH_NAMESPACE, name: "data" },
      spec: {
        repository: { kind: "Repository", name: "nas" },
        sources: [{ pvc: { name: "data" } }],
        copyMethod: "Direct",
      } as never,
    });
  }

  async #tick(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.#node.tick();
      await pause(TICK);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the benchmark is over"));
    await this.#ticking;
  }

  /** From now on backups do not end by themselves. */
  goOn(): void {
    for (let i = 0; i < 5000; i++) this.#fates.push({ type: "goesOn" });
  }

  async readyRepository(): Promise<void> {
    await this.#until(async () => (await this.#nas()).status?.phase === "Ready");
    await this.#until(async () => {
      const name = { namespace: BENCH_NAMESPACE, name: "data" };
      return (await this.client.get(backupConfigResource, name)).status?.phase === "Ready";
    });
  }

  async repositoryRuns(): Promise<NonNullable<RepositoryStatus["runs"]>> {
    return (await this.#nas()).status?.runs ?? {};
  }

  #nas() {
    return this.client.get(repositoryResource, { namespace: BENCH_NAMESPACE, name: "nas" });
  }

  async createBackup(name: string): Promise<void> {
    await this.client.create(backupResource, {
      metadata: { namespace: BENCH_NAMESPACE, name },
      spec: { configRef: { name: "data" } },
    });
  }

  async finishedBackup(name: string): Promise<Backup> {
    const look = () => this.client.get(backupResource, { namespace: BENCH_NAMESPACE, name });
    await this.#until(async () => (await look()).status?.phase === "Succeeded");
    return look();
  }

  /** Another Backup just like a finished one. */
  async writeFinished({ metadata, spec, status }: Backup, name: string): Promise<void> {
    const { labels = {}, finalizers = [] } = metadata;
    const made = await this.client.create(backupResource, {
      metadata: { namespace: BENCH_NAMESPACE, name, labels, finalizers },
      spec,
    });
    const patch = { type: "merge", patch: { status } } as never;
    await this.client.patch(backupResource, made.metadata, patch, { subresource: "status" });
  }

  /** Cancels movers one after the other, until so many have made room. How many did. */
  async endSome(number: number): Promise<number> {
    let ended = 0;
    while (ended < number) {
      const running = this.#node.started.length;
      const { items } = await this.client.list(Pods, { namespace: BENCH_NAMESPACE });
      const one = items.find(({ status }) => status?.phase === "Running");
      if (one) await this.#node.finish(one);
      await this.#until(async () => this.#node.started.length > running);
      ended += 1;
    }
    return ended;
  }

  /** A review of the creation of a Backup, as the API server asks for it. */
  review(number: number): object {
    const { group, version, kind, plural } = backupResource;
    const gvk = { group, version, kind };
    const gvr = { group, version, resource: plural };
    const name = `review-${number}`;
    const metadata = { namespace: BENCH_NAMESPACE, name };
    return {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: random.hex(16),
        kind: gvk,
        resource: gvr,
        requestKind: gvk,
        requestResource: gvr,
        name,
        namespace: BENCH_NAMESPACE,
        operation: "CREATE",
        userInfo: { username: "somebody", groups: ["system:authenticated"] },
        object: {
          apiVersion: `${group}/${version}`,
          kind,
          metadata,
          spec: { configRef: { name: "data" } },
        },
        dryRun: false,
      },
    };
  }

  /** Resolves with the first object of the kind, as it is told of, for which this holds. */
  async until<T extends KubeObject>(resource: Resource<T>, holds: (object: T) => boolean): Promise<T> {
    const { metadata } = await this.client.list(resource, { limit: 1 });
    const stop = new AbortController();
    const { resourceVersion = "" } = metadata;
    for await (const event of this.client.watch(resource, { resourceVersion, signal: stop.signal })) {
      if ("object" in event && holds(event.object as T)) {
        stop.abort();
        return event.object as T;
      }
    }
    throw new Error("the watch ended");
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await holds()); tries++) {
      if (tries > 2400) throw new Error("waited in vain");
      await pause(25);
    }
  }
}
