import type { DeletionObserver } from "../../../../src/core/api.ts";
import {
  VolumeSnapshotContents,
  VolumeSnapshots,
} from "../../../../src/core/volumes/staging/snapshot_kinds.ts";
import { RUN_LABEL } from "../../../../src/core/work/run_labels.ts";
import type { Settings } from "../../../../src/core/work/settings.ts";
import { ControlPlane } from "../../../../src/embedded/control_plane.ts";
import { JobRunner } from "../../../../src/embedded/node/jobs/job_runner.ts";
import { MemoryStore } from "../../../../src/embedded/store/memory_store.ts";
import { kopiurCrds } from "../../../../src/kinds/kopiur/crds.ts";
import { type Backup, backupResource } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../src/kinds/kopiur/generated/backup_config.ts";
import { type Repository, repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import { isNotFound } from "../../../../src/kube/api_error.ts";
import {
  ConfigMaps,
  Jobs,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  type Pod,
  Pods,
  Secrets,
} from "../../../../src/kube/builtin.ts";
import { Informers } from "../../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../../src/kube/client/pod_client.ts";
import { accessName } from "../../../../src/kube/client/request_access.ts";
import { RightsWatch } from "../../../../src/kube/client/rights_watch.ts";
import { Manager } from "../../../../src/kube/controller/manager.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import { grantedRules } from "../../../../src/kube/policy_rules.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { LimitedSender } from "../../../../src/kube/testing/limited_sender.ts";
import { EventRecorder } from "../../../../src/kube/write/events.ts";
import { seededRandom } from "../../../../src/lib/random.ts";
import { VirtualClock } from "../../../../src/lib/virtual_clock.ts";
import { APIS } from "../../../../src/main/apis.ts";
import { compose } from "../../../../src/main/compose.ts";
import { operatorRules } from "../../../../src/main/operator_rights.ts";
import { silentLogger as log } from "../../../../src/observe/log.ts";
import { noWatchObserver, type RunEndObserver } from "../../../../src/observe/observers.ts";
import { type Death, MortalSender } from "../../../scenarios/mortal_sender.ts";
import { scenarioRules } from "../../../scenarios/operator.ts";
import { FakeNode, type Fate } from "../fake_node.ts";
import { FakeRepository } from "../fake_repository.ts";
import { FakeStorage } from "./fake_storage.ts";

export const NAMESPACE = "shop";
const SETTINGS = { moverImage: "mover:1" };
/** The others have CRDs that this world does not. */
const SERVED = APIS.filter(({ name }) => name === "kopiur");
const NARROW_RULES = grantedRules(operatorRules(SERVED), {
  scope: "namespaced",
  namespace: NAMESPACE,
  clusterReads: true,
  lending: false,
  pausingGitOps: false,
  webhooks: false,
  ownCertificates: false,
  ownAccounts: true,
  volsync: false,
  adopting: false,
  removingCrds: false,
});
const SECOND = 1_000;

export interface KopiurWorldOptions {
  readonly fates?: readonly Fate[];
  /** Of the runs that restore. Default: all succeed. */
  readonly restoreFates?: readonly Fate[];
  readonly copyMethod?: "Direct" | "Clone" | "Snapshot";
  /** What the recipe says beyond the least. */
  readonly recipe?: object;
  readonly maxRuns?: number;
  readonly maxDeletions?: number;
  /** Secrets of a repository are lent to runs in other namespaces. Default false. */
  readonly lendSecrets?: boolean;
  /** The operator looks at its own namespace alone, and has rights to no more. Default false. */
  readonly namespaced?: boolean;
  /** Is told what operators count. Default: nobody. */
  readonly tally?: DeletionObserver & RunEndObserver;
  /** Each operator dies as the next of these says; the last one lives. */
  readonly deaths?: readonly Death[];
  /** A right that the operator does not have until it is granted, such as `list pods`. */
  readonly without?: string;
}

interface Running {
  readonly sender: MortalSender;
  readonly stop: AbortController;
  ended: boolean;
}

/** The whole of the native API on a control plane, a node and a driver in memory, in virtual time. */
export class KopiurWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly repository = new FakeRepository();
  readonly client: HttpClient;
  readonly node: FakeNode;
  readonly storage: FakeStorage;
  /** The most movers that were ever seen to run at once. */
  mostMovers = 0;
  readonly #options: KopiurWorldOptions;
  readonly #settings: Settings;
  readonly #random = seededRandom(1);
  readonly #plane: ControlPlane;
  /** The operator has its rights, and no others. */
  readonly #limited: LimitedSender;
  readonly #rights: RightsWatch;
  readonly #end = new AbortController();
  readonly #deaths: Death[];
  #operator: Running | undefined;
  #requests = 0;

  constructor(options: KopiurWorldOptions = {}) {
    const { clock } = this;
    this.#options = options;
    this.#settings = { ...SETTINGS, lendSecrets: options.lendSecrets ?? false };
    this.#deaths = [...(options.deaths ?? [])];
    const podLogs = { read: (name: { readonly name: string }) => this.node.read(name) };
    this.#plane = new ControlPlane({
      store: new MemoryStore({ clock }),
      crds: kopiurCrds,
      clock,
      random: this.#random,
      podLogs,
    });
    this.#limited = new LimitedSender(this.#plane.sender, {
      rules: options.namespaced ? NARROW_RULES : scenarioRules(this.#settings, SERVED),
      home: options.namespaced ? NAMESPACE : "holdfast",
    });
    if (options.without) this.#limited.withheld.add(options.without);
    this.#rights = new RightsWatch(this.#limited, { clock, log });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random: this.#random });
    const { client, repository } = this;
    const fates = [...(options.fates ?? [])];
    this.node = new FakeNode({
      client,
      clock,
      repository,
      fates,
      restores: [...(options.restoreFates ?? [])],
    });
    this.storage = new FakeStorage(client, clock);
  }

  /** A repository that is ready, and a recipe. */
  async start(): Promise<this> {
    const { client, clock } = this;
    const ports = { client, clock, random: this.#random, log };
    void this.#plane.run(this.#end.signal);
    await client.create(Namespaces, { metadata: { name: NAMESPACE } });
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const events = new EventRecorder({ writer: client, clock, random: this.#random, log, component: "job" });
    const caches = { jobs: informers.cache({ resource: Jobs }), pods: informers.cache({ resource: Pods }) };
    const runner = new JobRunner({ ...ports, ...caches, events, nodeName: "node-1" });
    void informers.run(this.#end.signal);
    void runner.controller.run(this.#end.signal, () => {});
    await this.storage.install();
    for (const name of ["data", "store"]) await this.storage.claim(NAMESPACE, name);
    const { maxRuns = 4, maxDeletions = 20, copyMethod = "Direct" } = this.#options;
    await client.create(repositoryResource, {
      metadata: { namespace: NAMESPACE, name: "nas" },
      spec: {
        backend: { filesystem: { pvc: { name: "store" } } },
        encryption: { passwordSecretRef: { name: "creds" } },
        catalog: { enabled: false },
        maintenance: { enabled: false },
        concurrency: { maxRuns },
        deletionGuard: { maxDeletions, lastBackups: "Delete" },
      } as never,
    });
    await client.create(backupConfigResource, {
      metadata: { namespace: NAMESPACE, name: "data" },
      spec: {
        repository: { kind: "Repository", name: "nas" },
        sources: [{ pvc: { name: "data" } }],
        copyMethod,
        ...this.#options.recipe,
      } as never,
    });
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    this.#end.abort(new Error("the test is over"));
    await this.clock.advance(0);
    const { namespaced, without } = this.#options;
    const refused = namespaced || without ? [] : this.refused;
    if (refused.length > 0) throw new Error(`the operator has no right to this: ${refused.join("; ")}`);
  }

  /** What the operator was not allowed to do. */
  get refused(): readonly string[] {
    return [...this.#limited.refused].toSorted();
  }

  /** What the operator was allowed to do, and did. */
  get used(): readonly string[] {
    return [...this.#limited.used].toSorted();
  }

  /** What the operator itself says that it may not do. */
  get missing(): readonly string[] {
    return this.#rights.missing.map(accessName);
  }

  /** How much the operator has asked of the API server. */
  get requests(): number {
    return this.#requests;
  }

  /** The operator runs, and has not ended of its own. */
  get isAlive(): boolean {
    return this.#operator?.ended === false;
  }

  /** From now on the operator has all its rights. */
  grantAll(): void {
    this.#limited.withheld.clear();
  }

  async stopOperator(): Promise<void> {
    const running = this.#operator;
    this.#operator = undefined;
    if (!running) return;
    running.sender.die();
    running.stop.abort(new Error("this operator is over"));
    for (let turns = 0; !running.ended && turns < 60; turns++) await this.clock.advance(SECOND);
  }

  async backup(name: string, spec: object = {}): Promise<void> {
    await this.client.create(backupResource, {
      metadata: { namespace: NAMESPACE, name },
      spec: { configRef: { name: "data" }, ...spec },
    });
  }

  annotate(name: string, annotations: Readonly<Record<string, string>>): Promise<Backup> {
    const patch = { type: "merge", patch: { metadata: { annotations } } } as const;
    return this.client.patch(backupResource, { namespace: NAMESPACE, name }, patch);
  }

  delete(name: string): Promise<unknown> {
    return this.client.delete(backupResource, { namespace: NAMESPACE, name }).catch(unlessGone);
  }

  async backups(): Promise<readonly Backup[]> {
    return (await this.client.list(backupResource, { namespace: NAMESPACE })).items;
  }

  nas(): Promise<Repository> {
    return this.client.get(repositoryResource, { namespace: NAMESPACE, name: "nas" });
  }

  /** Lets some seconds pass, with an operator that is started again when it died. */
  async turns(number: number, each: () => Promise<void> = async () => {}): Promise<void> {
    for (let turn = 0; turn < number; turn++) {
      await this.#keepAlive();
      await this.#quiet();
      await this.storage.tick();
      await this.node.tick();
      await this.#quiet();
      await this.#countMovers();
      await each();
      await this.clock.advance(SECOND);
    }
  }

  /** Lets time pass until this holds. */
  async until(what: string, holds: () => Promise<boolean>, most = 2000): Promise<void> {
    for (let turn = 0; turn < most; turn++) {
      if (await holds()) return;
      await this.turns(1);
    }
    const states = (await this.backups()).map(({ metadata, status }) => [metadata.name, status]);
    throw new Error(`never: ${what}; ${JSON.stringify(states)}`);
  }

  /** Lets the lifetimes of Jobs that have ended pass. */
  async lifetimesPass(): Promise<void> {
    await this.turns(3);
    await this.clock.advance(700 * SECOND);
    await this.turns(8);
  }

  /** What is there of runs and copies. */
  async leftovers(): Promise<readonly string[]> {
    const kinds: readonly Resource[] = [Jobs, Pods, ConfigMaps, Secrets];
    const runs = await Promise.all(kinds.map((kind) => this.#all(kind)));
    const copies = await Promise.all([
      this.#all(PersistentVolumeClaims),
      this.#all(PersistentVolumes),
      this.#all(VolumeSnapshots),
      this.#all(VolumeSnapshotContents),
    ]);
    const lasting = ["data", "store"];
    const claims = copies.flat().filter((one) => {
      const claim = (one as { spec?: { claimRef?: { name?: string } } }).spec?.claimRef?.name;
      return !lasting.includes(claim ?? one.metadata.name);
    });
    return [...runs.flat().filter(({ metadata }) => metadata.labels?.[RUN_LABEL]), ...claims].map(
      ({ kind, metadata }) => `${kind} ${metadata.name}`,
    );
  }

  async #all(kind: Resource): Promise<readonly KubeObject[]> {
    return (await this.client.list(kind)).items;
  }

  async #countMovers(): Promise<void> {
    const pods = (await this.client.list(Pods)).items;
    const isLive = ({ status }: Pod) => status?.phase === "Running" || status?.phase === "Pending";
    this.mostMovers = Math.max(this.mostMovers, pods.filter(isLive).length);
  }

  /** Lets requests that are under way come to their end, before time jumps. */
  async #quiet(): Promise<void> {
    for (let n = 0; n < 12; n++) await this.clock.advance(0);
  }

  async #keepAlive(): Promise<void> {
    if (this.#operator?.sender.isDead) await this.stopOperator();
    this.#operator ??= this.#start(this.#deaths.shift());
  }

  #start(death: Death | undefined): Running {
    const ports = { clock: this.clock, random: this.#random, log };
    const sender = new MortalSender(this.#rights, death);
    const observer = { request: () => void this.#requests++ };
    const client = new HttpClient({ ...ports, sender, observer });
    const informers = new Informers({ ...ports, client, observer: noWatchObserver });
    const { tally } = this.#options;
    const controllers = compose({
      ...ports,
      apis: SERVED,
      client,
      logs: new PodClient({ ...ports, sender }),
      connect: () => {
        throw new Error("nobody needs a session here");
      },
      informers,
      settings: this.#settings,
      ...(this.#options.namespaced ? { namespace: NAMESPACE } : {}),
      ...(tally ? { runs: tally, counters: new Map([["kopiur", { deletions: tally }]]) } : {}),
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
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
