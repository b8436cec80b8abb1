import { cozystack } from "../../../../src/apis/cozystack/api.ts";
import { kopiur } from "../../../../src/apis/kopiur/api.ts";
import type { Api } from "../../../../src/core/api.ts";
import { ControlPlane } from "../../../../src/embedded/control_plane.ts";
import type { BundledCrd } from "../../../../src/embedded/kinds/bundled_crds.ts";
import { JobRunner } from "../../../../src/embedded/node/jobs/job_runner.ts";
import { MemoryStore } from "../../../../src/embedded/store/memory_store.ts";
import { cozystackCrds } from "../../../../src/kinds/cozystack/crds.ts";
import { LENDABLE } from "../../../../src/kinds/cozystack/labels.ts";
import { kopiurCrds } from "../../../../src/kinds/kopiur/crds.ts";
import {
  VELERO_BACKUPS,
  VELERO_DELETIONS,
  VELERO_RESTORES,
} from "../../../../src/kinds/velero/server_objects.ts";
import {
  Jobs,
  Namespaces,
  PersistentVolumeClaims,
  Pods,
  StatefulSets,
} from "../../../../src/kube/builtin.ts";
import { Informers } from "../../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../../src/kube/client/pod_client.ts";
import { Manager } from "../../../../src/kube/controller/manager.ts";
import type { Draft, KubeObject, Partially } from "../../../../src/kube/object.ts";
import type { PolicyRule } from "../../../../src/kube/policy_rules.ts";
import type { Resource } from "../../../../src/kube/resource.ts";
import { LimitedSender } from "../../../../src/kube/testing/limited_sender.ts";
import { EventRecorder } from "../../../../src/kube/write/events.ts";
import { seededRandom } from "../../../../src/lib/random.ts";
import { VirtualClock } from "../../../../src/lib/virtual_clock.ts";
import { compose } from "../../../../src/main/compose.ts";
import { operatorBudgets } from "../../../../src/main/operator_budgets.ts";
import { silentLogger as log } from "../../../../src/observe/log.ts";
import { noWatchObserver } from "../../../../src/observe/observers.ts";
import type { Account, AccountRights } from "../../../scenarios/account.ts";
import { type Death, MortalSender } from "../../../scenarios/mortal_sender.ts";
import { scenarioRules } from "../../../scenarios/operator.ts";
import { servedAccount } from "../../../scenarios/served_account.ts";

export const NAMESPACE = "tenant";
export const DATABASE = { apiGroup: "apps", kind: "StatefulSet", name: "db" };
/** A pod that says what it was told to do. */
export const DUMP = {
  spec: {
    containers: [
      {
        name: "dump",
        image: "dump",
        args: ["{{ .Mode }}", "{{ .Parameters.level }}", "{{ .Application.metadata.name }}"],
      },
    ],
  },
};
const SETTINGS = { moverImage: "mover:1", lendSecrets: true };
const SECOND = 1_000;

export interface CozystackWorldOptions {
  /** Each operator dies as the next of these says; the last one lives. */
  readonly deaths?: readonly Death[];
  /** It asks no more of the API server than the shipped one does. Default: as much as it likes. */
  readonly budgeted?: boolean;
  /** The operator serves the native API as well. Default: the test plays it. */
  readonly native?: boolean;
}

interface Running {
  readonly sender: MortalSender;
  readonly stop: AbortController;
  ended: boolean;
}

/**
 * This API on a control plane in memory, in virtual time, with an application of two volumes. What its drivers hand their
 * work to (the native API, pods, Velero) is played by the test.
 */
export class CozystackWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly client: HttpClient;
  readonly #random = seededRandom(1);
  readonly #plane: ControlPlane;
  /** The operator has its rights, and no others. */
  readonly #limited: LimitedSender;
  readonly #end = new AbortController();
  readonly #deaths: Death[];
  readonly #options: CozystackWorldOptions;
  #operator: Running | undefined;
  #away = false;
  /** How many operators died as they were told. */
  operatorsDied = 0;

  constructor(options: CozystackWorldOptions = {}) {
    const { clock } = this;
    this.#options = options;
    this.#deaths = [...(options.deaths ?? [])];
    const crds = [...cozystackCrds, ...kopiurCrds, ...VELERO] as readonly BundledCrd[];
    this.#plane = new ControlPlane({ store: new MemoryStore({ clock }), crds, clock, random: this.#random });
    this.#limited = new LimitedSender(this.#plane.sender, {
      rules: scenarioRules(SETTINGS, this.#apis),
      home: "holdfast",
    });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random: this.#random });
  }

  get #apis(): readonly Api[] {
    return this.#options.native ? [kopiur, cozystack] : [cozystack];
  }

  async start(): Promise<this> {
    const { client, clock } = this;
    const ports = { client, clock, random: this.#random, log };
    void this.#plane.run(this.#end.signal);
    await client.create(Namespaces, { metadata: { name: NAMESPACE } });
    const annotations = { [LENDABLE]: "bucket" };
    await client.create(Namespaces, { metadata: { name: "velero", annotations } });
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const events = new EventRecorder({ writer: client, clock, random: this.#random, log, component: "job" });
    const caches = { jobs: informers.cache({ resource: Jobs }), pods: informers.cache({ resource: Pods }) };
    const runner = new JobRunner({ ...ports, ...caches, events, nodeName: "node-1" });
    void informers.run(this.#end.signal);
    void runner.controller.run(this.#end.signal, () => {});
    await this.#application();
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

  /** From now on there is no operator, or one again. */
  async away(isAway: boolean): Promise<void> {
    this.#away = isAway;
    if (isAway) await this.stopOperator();
  }

  /** A client for another program, which has these rights and no others. */
  clientWith(rules: readonly PolicyRule[]): HttpClient {
    const sender = new LimitedSender(this.#plane.sender, { rules: { cluster: rules, home: [] }, home: "" });
    return new HttpClient({ sender, clock: this.clock, random: this.#random });
  }

  /** A program of its own that reaches the API server, with these rights and no others. */
  account(rights: AccountRights): Promise<Account> {
    return servedAccount(this.#plane, rights);
  }

  /** The server fills in the defaults, so a spec need not be whole. */
  create<T extends KubeObject & { readonly spec: object }>(
    resource: Resource<T>,
    name: string,
    spec: Partially<T["spec"]>,
    namespace = NAMESPACE,
  ): Promise<T> {
    const metadata = { name, ...(resource.namespaced ? { namespace } : {}) };
    return this.client.create(resource, { metadata, spec } as unknown as Draft<T>);
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T> {
    return this.client.get(resource, { name, ...(resource.namespaced ? { namespace: NAMESPACE } : {}) });
  }

  async all<T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]> {
    return (await this.client.list(resource)).items;
  }

  /** Writes into an object what somebody else would. */
  patch<T extends KubeObject>(
    resource: Resource<T>,
    { metadata }: KubeObject,
    patch: object,
    subresource?: "status",
  ): Promise<T> {
    const options = subresource ? { subresource } : {};
    return this.client.patch(resource, metadata, { type: "merge", patch } as never, options);
  }

  /** Lets some time pass, with an operator that is started again when it died. */
  async turns(number: number, pause = SECOND, each: () => Promise<void> = async () => {}): Promise<void> {
    for (let turn = 0; turn < number; turn++) {
      if (this.#operator?.sender.isDead) {
        this.operatorsDied += 1;
        await this.stopOperator();
      }
      if (!this.#away) this.#operator ??= this.#start(this.#deaths.shift());
      await this.#quiet();
      await each();
      await this.#quiet();
      await this.clock.advance(pause);
    }
  }

  /** Lets time pass until this holds. */
  async until(
    what: string,
    holds: () => Promise<boolean>,
    each: () => Promise<void> = async () => {},
  ): Promise<void> {
    for (let turn = 0; turn < 300; turn++) {
      if (await holds()) return;
      await this.turns(1, SECOND, each);
    }
    throw new Error(`never: ${what}`);
  }

  async #application(): Promise<void> {
    const { client } = this;
    await client.create(StatefulSets, {
      metadata: { namespace: NAMESPACE, name: "db" },
      spec: {
        replicas: 0,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [{ name: "main", image: "db" }] },
        },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }],
      },
    });
    for (const name of ["data-db-0", "data-db-1"]) {
      const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
      await client.create(PersistentVolumeClaims, { metadata: { namespace: NAMESPACE, name }, spec });
    }
  }

  /** Lets requests that are under way come to their end, before time jumps. */
  async #quiet(): Promise<void> {
    for (let n = 0; n < 12; n++) await this.clock.advance(0);
  }

  #start(death: Death | undefined): Running {
    const ports = { clock: this.clock, random: this.#random, log };
    const sender = new MortalSender(this.#limited, death);
    const budget = this.#options.budgeted ? { budget: operatorBudgets(this.clock).usual } : {};
    const client = new HttpClient({ ...ports, sender, ...budget });
    const informers = new Informers({
      ...ports,
      client: new HttpClient({ ...ports, sender }),
      observer: noWatchObserver,
    });
    const controllers = compose({
      ...ports,
      apis: this.#apis,
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
}

/** Kinds of Velero, as far as the API server has to know them. */
const VELERO = [VELERO_BACKUPS, VELERO_RESTORES, VELERO_DELETIONS].map(
  ({ group, version, kind, plural }) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  }),
);
