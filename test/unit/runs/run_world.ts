import { runCaches } from "../../../src/core/work/run_caches.ts";
import { RUN_LABEL } from "../../../src/core/work/run_labels.ts";
import type { RunPolicy } from "../../../src/core/work/run_policy.ts";
import type { RunRecord } from "../../../src/core/work/run_record.ts";
import type { RunTask } from "../../../src/core/work/run_request.ts";
import type { RunUse } from "../../../src/core/work/run_uses.ts";
import type { TaskDecision } from "../../../src/core/work/task_decision.ts";
import { Tasks } from "../../../src/core/work/tasks.ts";
import { sampleTask } from "../../../src/core/work/testing/samples.ts";
import type { PodExec } from "../../../src/embedded/api/pod_exec.ts";
import { ControlPlane } from "../../../src/embedded/control_plane.ts";
import { JobRunner } from "../../../src/embedded/node/jobs/job_runner.ts";
import { MemoryStore } from "../../../src/embedded/store/memory_store.ts";
import { ConfigMaps, Jobs, Namespaces, Pods, Secrets } from "../../../src/kube/builtin.ts";
import { Informers } from "../../../src/kube/cache/informers.ts";
import { HttpClient } from "../../../src/kube/client/http_client.ts";
import { PodClient } from "../../../src/kube/client/pod_client.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { EventRecorder } from "../../../src/kube/write/events.ts";
import { ownerReference } from "../../../src/kube/write/owners.ts";
import { seededRandom } from "../../../src/lib/random.ts";
import { VirtualClock } from "../../../src/lib/virtual_clock.ts";
import { silentLogger } from "../../../src/observe/log.ts";
import { noWatchObserver } from "../../../src/observe/observers.ts";
import { Crash, CrashingSender, type CrashPoint } from "./crashing_sender.ts";
import { FakeNode, type Fate } from "./fake_node.ts";
import { FakeRepository } from "./fake_repository.ts";

export interface RunWorldOptions {
  readonly fates?: readonly Fate[];
  readonly crash?: CrashPoint;
  readonly policy?: RunPolicy;
  /** Changes of the sample task. */
  readonly task?: Partial<RunTask>;
  /** What the owner's API has declared. Default: nothing. */
  readonly uses?: readonly RunUse[];
  /** The owner wants a prepared run to start. Default false. */
  readonly go?: boolean;
}

export const OWNER = { namespace: "shop", name: "nightly" };
const log = silentLogger;

/** A control plane in memory, a node, and an operator that has one task and may die. Its record is kept in a ConfigMap. */
export class RunWorld {
  readonly clock = new VirtualClock();
  readonly repository = new FakeRepository();
  readonly client: HttpClient;
  readonly node: FakeNode;
  /** Every state that the task went through. */
  readonly states: string[] = [];
  cancel = false;
  /** The owner wants a prepared run to start. */
  go: boolean;
  decision: TaskDecision | undefined;
  readonly #options: RunWorldOptions;
  readonly #random = seededRandom(1);
  readonly #plane: ControlPlane;
  readonly #end = new AbortController();
  #operator: { readonly tasks: Tasks; readonly client: HttpClient; readonly stop: () => void } | undefined;
  #sender: CrashingSender;

  constructor(options: RunWorldOptions = {}) {
    const { clock } = this;
    this.#options = options;
    this.go = options.go ?? false;
    const podLogs = { read: (name: { readonly name: string }) => this.node.read(name) };
    const store = new MemoryStore({ clock });
    const podExec: PodExec = { open: (pod, request) => this.node.open(pod, request) };
    this.#plane = new ControlPlane({ store, clock, random: this.#random, podLogs, podExec });
    this.client = new HttpClient({ sender: this.#plane.sender, clock, random: this.#random });
    const { client, repository } = this;
    this.node = new FakeNode({ client, clock, repository, fates: [...(options.fates ?? [])] });
    this.#sender = new CrashingSender(this.#plane.sender, options.crash);
  }

  /** How many requests the operator has made. */
  get requests(): number {
    return this.#sender.requests;
  }

  async start(): Promise<this> {
    const { client, clock } = this;
    const ports = { client, clock, random: this.#random, log };
    void this.#plane.run(this.#end.signal);
    await client.create(Namespaces, { metadata: { name: "shop" } });
    await client.create(ConfigMaps, { metadata: OWNER });
    const informers = new Informers({ ...ports, observer: noWatchObserver });
    const events = new EventRecorder({ writer: client, clock, random: this.#random, log, component: "job" });
    const caches = {
      jobs: informers.cache({ resource: Jobs }),
      pods: informers.cache({ resource: Pods }),
    };
    const runner = new JobRunner({ ...ports, ...caches, events, nodeName: "node-1" });
    void informers.run(this.#end.signal);
    void runner.controller.run(this.#end.signal, () => {});
    await clock.advance(0);
    return this;
  }

  close(): void {
    this.#operator?.stop();
    this.#end.abort(new Error("the test is over"));
  }

  async task(): Promise<RunTask> {
    const object = await this.client.get(ConfigMaps, OWNER);
    const owner = ownerReference({
      owner: { resource: ConfigMaps, object },
      dependent: { resource: Jobs, namespace: "shop" },
    });
    return { ...sampleTask, owner, ...this.#options.task };
  }

  /** One look at the task, by an operator that is started again when it died. False when it died now. */
  async reconcile(): Promise<boolean> {
    this.#operator ??= await this.#startOperator();
    const { tasks, client } = this.#operator;
    try {
      const object = await client.get(ConfigMaps, OWNER);
      const kept = object.data?.record;
      const record: RunRecord | undefined = kept && JSON.parse(kept);
      const { policy = {} } = this.#options;
      const wanted = { cancel: this.cancel, start: this.go };
      const view = { task: await this.task(), policy, ...wanted, ...(record ? { record } : {}) };
      const decision = await tasks.decide(view);
      this.decision = decision;
      this.#note(decision);
      const text = JSON.stringify(decision.record);
      if (text !== kept) await client.update(ConfigMaps, { ...object, data: { record: text } });
      await this.#carryOut(tasks, decision);
      return true;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.#operator.stop();
      this.#operator = undefined;
      this.#sender = new CrashingSender(this.#plane.sender);
      return false;
    }
  }

  /** A command in a pod takes time, which passes meanwhile. */
  async #carryOut(tasks: Tasks, decision: TaskDecision): Promise<void> {
    const tells = decision.intents.some(({ type }) => type === "Start");
    const passing = tells ? this.#quiet().then(() => this.clock.advance(100)) : undefined;
    try {
      await tasks.carryOut(decision);
    } finally {
      await passing;
    }
  }

  /** Lets some turns pass, whatever happens. */
  async turns(number: number, pause = 1_000): Promise<void> {
    for (let turn = 0; turn < number; turn++) {
      await this.reconcile();
      await this.#quiet();
      await this.node.tick();
      await this.#quiet();
      await this.clock.advance(pause);
    }
  }

  /** Lets everything happen until the task has an outcome and nothing is left to do. */
  async settle(each: () => Promise<void> = async () => {}): Promise<RunRecord> {
    let idleTurns = 0;
    for (let turns = 0; turns < 300; turns++) {
      await this.reconcile();
      await this.#quiet();
      await each();
      await this.node.tick();
      await this.#quiet();
      const busy = await this.#busy();
      await this.clock.advance(this.#pause(busy));
      const { record, intents, wakeAt } = this.decision ?? {};
      const idle = intents?.length === 0 && wakeAt === undefined && !busy;
      idleTurns = idle ? idleTurns + 1 : 0;
      // The cluster may still be about to tell something.
      if (record?.outcome && idleTurns > 2) return record;
    }
    throw new Error(`no end in sight: ${JSON.stringify(this.decision)} ${this.states.join(", ")}`);
  }

  /** What is there of runs, whoever owns it. */
  async objects(): Promise<readonly KubeObject[]> {
    const kinds: readonly Resource[] = [Jobs, Pods, ConfigMaps, Secrets];
    const lists = await Promise.all(kinds.map((kind) => this.client.list(kind, { namespace: "shop" })));
    return lists.flatMap(({ items }) => items).filter(({ metadata }) => metadata.labels?.[RUN_LABEL]);
  }

  /** What is still there of runs when the lifetimes of Jobs are over. */
  async leftovers(): Promise<readonly string[]> {
    await this.turns(2, 30_000);
    await this.clock.advance(700_000);
    await this.node.tick();
    await this.#quiet();
    return (await this.objects()).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  }

  /** Lets requests that are under way come to their end, before time jumps. */
  async #quiet(): Promise<void> {
    for (let n = 0; n < 20; n++) await this.clock.advance(0);
  }

  /** Moves on to where the next thing happens. */
  #pause(busy: boolean): number {
    if (busy) return 500;
    const wait = (this.decision?.wakeAt ?? 0) - this.clock.now();
    return Math.min(Math.max(wait, 500), 600_000);
  }

  async #busy(): Promise<boolean> {
    const { items } = await this.client.list(Pods, { namespace: "shop" });
    return items.some(({ status }) => status?.phase === "Pending" || status?.phase === "Running");
  }

  #note({ state }: TaskDecision): void {
    const about =
      state.phase === "Working" || state.phase === "Settling"
        ? `${state.phase} ${state.state.phase}`
        : state.phase === "Ended"
          ? `Ended ${state.outcome}`
          : state.phase;
    if (this.states.at(-1) !== about) this.states.push(about);
  }

  async #startOperator() {
    const ports = { clock: this.clock, random: this.#random };
    const client = new HttpClient({ ...ports, sender: this.#sender });
    const logs = new PodClient({ ...ports, sender: this.#sender });
    const informers = new Informers({ ...ports, client, log, observer: noWatchObserver });
    const caches = runCaches(informers);
    const stop = new AbortController();
    void informers.run(stop.signal);
    await this.clock.advance(0);
    const lend = async () => ({ password: "lent", key: "lent" });
    // The owner is a ConfigMap, whose group has no name.
    const uses = new Map([["", this.#options.uses ?? []]]);
    const tasks = new Tasks({ ...ports, client, logs, caches, log, lend, uses });
    const end = tasks.start();
    return {
      tasks,
      client,
      stop: () => {
        end();
        stop.abort(new Crash("stopped"));
      },
    };
  }
}
