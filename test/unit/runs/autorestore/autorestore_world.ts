import { autorestore } from "../../../../src/apis/autorestore/api.ts";
import { moverContainer } from "../../../../src/core/work/mover_container.ts";
import { RUN_LABEL } from "../../../../src/core/work/run_labels.ts";
import type { Settings } from "../../../../src/core/work/settings.ts";
import { GITOPS_KINDS } from "../../../../src/core/workloads/gitops/gitops_kinds.ts";
import { ControlPlane } from "../../../../src/embedded/control_plane.ts";
import type { BundledCrd } from "../../../../src/embedded/kinds/bundled_crds.ts";
import { JobRunner } from "../../../../src/embedded/node/jobs/job_runner.ts";
import { MemoryStore } from "../../../../src/embedded/store/memory_store.ts";
import { autorestoreCrds } from "../../../../src/kinds/autorestore/crds.ts";
import { backupConfigResource } from "../../../../src/kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../../../src/kinds/autorestore/generated/restic_backup.ts";
import { resticRepositoryResource } from "../../../../src/kinds/autorestore/generated/restic_repository.ts";
import { resticRestoreResource } from "../../../../src/kinds/autorestore/generated/restic_restore.ts";
import {
  Deployments,
  Jobs,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  type Pod,
  Pods,
  Secrets,
  StatefulSets,
} from "../../../../src/kube/builtin.ts";
import { Informers } from "../../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../../src/kube/client/pod_client.ts";
import { Manager } from "../../../../src/kube/controller/manager.ts";
import type { Draft, KubeObject } from "../../../../src/kube/object.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { LimitedSender } from "../../../../src/kube/testing/limited_sender.ts";
import { EventRecorder } from "../../../../src/kube/write/events.ts";
import type { HttpRequest, HttpSender } from "../../../../src/lib/http.ts";
import { seededRandom } from "../../../../src/lib/random.ts";
import { VirtualClock } from "../../../../src/lib/virtual_clock.ts";
import { compose } from "../../../../src/main/compose.ts";
import { silentLogger as log } from "../../../../src/observe/log.ts";
import { noWatchObserver } from "../../../../src/observe/observers.ts";
import { type Death, MortalSender } from "../../../scenarios/mortal_sender.ts";
import { scenarioRules } from "../../../scenarios/operator.ts";
import { APP_IMAGE, FakeNode, type Fate, MOVER_IMAGE } from "../fake_node.ts";
import { FakeRepository } from "../fake_repository.ts";

export const NAMESPACE = "home";
const SETTINGS: Settings = {
  moverImage: MOVER_IMAGE,
  lendSecrets: true,
  pauseGitOps: { argoCdNamespace: "argocd" },
};
const SECOND = 1_000;
const KINDS = [Deployments, StatefulSets] as const;

export interface AutorestoreWorldOptions {
  /** Each operator dies as the next of these says; the last one lives. */
  readonly deaths?: readonly Death[];
  /** Of the runs that back up. Default: all succeed. */
  readonly backupFates?: readonly Fate[];
  /** Of the runs that restore. Default: all succeed. */
  readonly restoreFates?: readonly Fate[];
  /** Of the runs that ask for snapshots. Default: all succeed. */
  readonly askFates?: readonly Fate[];
}

interface Running {
  readonly sender: MortalSender;
  readonly stop: AbortController;
  ended: boolean;
}

/** This API on a control plane, a node and two repositories in memory, in virtual time, with pods of workloads. */
export class AutorestoreWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly repository = new FakeRepository();
  readonly client: HttpClient;
  readonly node: FakeNode;
  /** What the first operator wrote, by the number of the request. */
  readonly writes = new Map<number, string>();
  /** Pods of workloads that ran while a mover wrote into their volume. */
  readonly clashes = new Set<string>();
  readonly #random = seededRandom(1);
  readonly #plane: ControlPlane;
  /** The operator has its rights, and no others. */
  readonly #limited: LimitedSender;
  readonly #end = new AbortController();
  readonly #deaths: Death[];
  #operator: Running | undefined;
  #operators = 0;

  constructor({
    deaths = [],
    backupFates = [],
    restoreFates = [],
    askFates = [],
  }: AutorestoreWorldOptions = {}) {
    const { clock, repository } = this;
    this.#deaths = [...deaths];
    const podLogs = { read: (name: { readonly name: string }) => this.node.read(name) };
    const crds = [...autorestoreCrds, ...GITOPS_KINDS.map(crdOf)] as readonly BundledCrd[];
    const store = new MemoryStore({ clock });
    this.#plane = new ControlPlane({ store, crds, clock, random: this.#random, podLogs });
    this.#limited = new LimitedSender(this.#plane.sender, {
      rules: scenarioRules(SETTINGS, [autorestore]),
      home: "holdfast",
    });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random: this.#random });
    const { client } = this;
    const fates = { fates: [...backupFates], restores: [...restoreFates], asks: [...askFates] };
    this.node = new FakeNode({ client, clock, repository, ...fates });
  }

  /** Two repositories of one BackupConfig, which restores what is new. */
  async start(): Promise<this> {
    const { client, clock } = this;
    const ports = { client, clock, random: this.#random, log };
    void this.#plane.run(this.#end.signal);
    for (const name of [NAMESPACE, "argocd", "flux-system"]) {
      await client.create(Namespaces, { metadata: { name } });
    }
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const events = new EventRecorder({ writer: client, clock, random: this.#random, log, component: "job" });
    const caches = { jobs: informers.cache({ resource: Jobs }), pods: informers.cache({ resource: Pods }) };
    const runner = new JobRunner({ ...ports, ...caches, events, nodeName: "node-1" });
    void informers.run(this.#end.signal);
    void runner.controller.run(this.#end.signal, () => {});
    const data = { password: btoa("a password") };
    await client.create(Secrets, { metadata: { namespace: NAMESPACE, name: "restic" }, data });
    for (const name of ["nas", "cloud"]) {
      await this.claim(`store-${name}`, false);
      await this.create(resticRepositoryResource, name, {
        repository: "/restic",
        volume: { claimName: `store-${name}` },
        passwordSecretRef: { name: "restic", key: "password" },
      });
    }
    await this.create(backupConfigResource, "all", {
      selectors: [{ labelSelector: { matchLabels: { keep: "yes" } } }],
      backupTargets: [
        { name: "nas", priority: 1, repository: { name: "nas" } },
        { name: "cloud", priority: 2, repository: { name: "cloud" } },
      ],
      autoRestore: true,
    });
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    this.#end.abort(new Error("the test is over"));
    await this.clock.advance(0);
    const refused = [...this.#limited.refused];
    if (refused.length > 0) throw new Error(`the operator has no right to this: ${refused.join("; ")}`);
  }

  async stopOperator(): Promise<void> {
    const running = this.#operator;
    this.#operator = undefined;
    if (!running) return;
    running.sender.die();
    running.stop.abort(new Error("this operator is over"));
    for (let turns = 0; !running.ended && turns < 60; turns++) await this.clock.advance(SECOND);
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    spec: object,
    metadata: object = {},
  ): Promise<T> {
    const draft = { metadata: { namespace: NAMESPACE, name, ...metadata }, spec };
    return this.client.create(resource, draft as unknown as Draft<T>);
  }

  /** A PVC that the BackupConfig selects, or one that it does not. */
  async claim(name: string, kept = true): Promise<void> {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const labels = kept ? { keep: "yes" } : {};
    await this.client.create(PersistentVolumeClaims, {
      metadata: { namespace: NAMESPACE, name, labels },
      spec,
    });
  }

  /** The PVC gets a volume. */
  async bind(name: string): Promise<void> {
    const claim = { namespace: NAMESPACE, name };
    const volumeName = `pv-${name}`;
    await this.client.create(PersistentVolumes, {
      metadata: { name: volumeName },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
    });
    const volume = { type: "merge", patch: { spec: { volumeName } } } as const;
    await this.client.patch(PersistentVolumeClaims, claim, volume);
    const bound = { type: "merge", patch: { status: { phase: "Bound" } } } as const;
    await this.client.patch(PersistentVolumeClaims, claim, bound, { subresource: "status" });
  }

  /** A workload whose pods use PVCs, as somebody applies it. */
  async workload(
    kind: "Deployment" | "StatefulSet",
    name: string,
    {
      claims,
      replicas,
      ...marks
    }: {
      claims: readonly string[];
      replicas: number;
      namespace?: string;
      labels?: object;
      annotations?: object;
    },
  ): Promise<void> {
    const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    const spec = { containers: [{ name: "app", image: APP_IMAGE }], volumes };
    const resource = kind === "Deployment" ? Deployments : StatefulSets;
    const matchLabels = { app: name };
    await this.create(
      resource as Resource<KubeObject>,
      name,
      {
        replicas,
        ...(kind === "StatefulSet" ? { serviceName: name } : {}),
        selector: { matchLabels },
        template: { metadata: { labels: matchLabels }, spec },
      },
      marks,
    );
  }

  /** A snapshot of a PVC, from before everything was lost. */
  keepSnapshot(claim: string, namespace = NAMESPACE): void {
    this.repository.snapshots.push({
      id: `old-${claim}`,
      identity: { username: "autorestore", hostname: namespace, path: `/${namespace}/${claim}` },
      run: `old-${claim}`,
      tags: {},
      startedAt: "2025-12-31T00:00:00Z",
      root: `root of ${claim}`,
      fidelity: "Full",
    });
  }

  async all<T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> {
    return (await this.client.list(resource)).items;
  }

  /** Lets some seconds pass, with an operator that is started again when it died. */
  async turns(number: number): Promise<void> {
    for (let turn = 0; turn < number; turn++) {
      if (this.#operator?.sender.isDead) await this.stopOperator();
      this.#operator ??= this.#start(this.#deaths.shift());
      await this.#quiet();
      await this.#workloads();
      await this.node.tick();
      await this.#quiet();
      await this.#lookForClashes();
      await this.clock.advance(SECOND);
    }
  }

  /** Lets time pass until this holds. */
  async until(what: string, holds: () => Promise<boolean>, most = 1000): Promise<void> {
    for (let turn = 0; turn < most; turn++) {
      if (await holds()) return;
      await this.turns(1);
    }
    const restores = (await this.all(resticRestoreResource)).map(({ metadata, status }) => [
      metadata.name,
      status,
    ]);
    const backups = (await this.all(resticBackupResource)).map(({ metadata, status }) => [
      metadata.name,
      status,
    ]);
    throw new Error(`never: ${what}; ${JSON.stringify([...restores, ...backups])}`);
  }

  get backups() {
    return this.all(resticBackupResource);
  }

  get restores() {
    return this.all(resticRestoreResource);
  }

  /** What the controllers of workloads do on a cluster. */
  async #workloads(): Promise<void> {
    const pods = await this.all(Pods);
    for (const kind of KINDS) {
      for (const workload of await this.all(kind as Resource<KubeObject>)) {
        const { uid, name, namespace } = workload.metadata;
        const { replicas = 1, template } =
          (workload as { spec?: { replicas?: number; template?: object } }).spec ?? {};
        const own = pods.filter(({ metadata }) => metadata.ownerReferences?.some((one) => one.uid === uid));
        const live = own.filter(({ metadata }) => !metadata.deletionTimestamp);
        for (const pod of live.slice(replicas)) await this.client.delete(Pods, pod.metadata);
        for (let i = own.length; i < replicas; i++) {
          const owner = { apiVersion: "apps/v1", kind: kind.kind, name, uid, controller: true };
          const metadata = {
            namespace,
            name: `${name}-${this.#random.hex(4)}`,
            ownerReferences: [owner],
          };
          await this.client.create(Pods, { ...template, metadata } as Draft<Pod>);
        }
      }
    }
  }

  async #lookForClashes(): Promise<void> {
    const pods = await this.all(Pods);
    const claimsOf = (pod: Pod) =>
      pod.spec?.volumes?.flatMap((one) => one.persistentVolumeClaim?.claimName ?? []) ?? [];
    const writing = pods.filter(
      (pod) => pod.metadata.labels?.[RUN_LABEL] && moverContainer(pod).type === "running",
    );
    const taken = new Set(writing.flatMap(claimsOf).filter((name) => !name.startsWith("store-")));
    for (const pod of pods) {
      const isApp = pod.spec?.containers[0]?.image === APP_IMAGE;
      if (isApp && claimsOf(pod).some((name) => taken.has(name))) this.clashes.add(pod.metadata.name);
    }
  }

  /** Lets requests that are under way come to their end, before time jumps. */
  async #quiet(): Promise<void> {
    for (let n = 0; n < 12; n++) await this.clock.advance(0);
  }

  #start(death: Death | undefined): Running {
    const ports = { clock: this.clock, random: this.#random, log };
    const first = this.#operators++ === 0;
    const sender = new MortalSender(first ? this.#recorded() : this.#limited, death);
    const client = new HttpClient({ ...ports, sender });
    const informers = new Informers({ ...ports, client, observer: noWatchObserver });
    const controllers = compose({
      ...ports,
      apis: [autorestore],
      client,
      logs: new PodClient({ ...ports, sender }),
      connect: () => {
        throw new Error("nobody needs a session here");
      },
      informers,
      settings: SETTINGS,
    });
    const stop = new AbortController();
    const running: Running = { sender, stop, ended: false };
    void new Manager(ports)
      .add("caches", informers)
      .add("elected", ...controllers)
      .run(stop.signal)
      .catch(() => {})
      .then(() => {
        running.ended = true;
      });
    return running;
  }

  /** Counts as the mortal sender does. */
  #recorded(): HttpSender {
    let requests = 0;
    return {
      send: (request: HttpRequest) => {
        const counted = !request.path.includes("watch=true") && !request.path.includes("/log?");
        if (counted) requests += 1;
        if (counted && request.method !== "GET")
          this.writes.set(requests, `${request.method} ${request.path}`);
        return this.#limited.send(request);
      },
      close: () => {},
    };
  }
}

/** Kinds of GitOps tools, as far as the API server has to know them. */
function crdOf({ group, version, kind, plural }: Resource): object {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}
