import { MoverAccounts } from "../../src/core/work/mover_accounts.ts";
import { runCaches } from "../../src/core/work/run_caches.ts";
import type { RunRecord } from "../../src/core/work/run_record.ts";
import type { RunTask } from "../../src/core/work/run_request.ts";
import { SESSION_LABEL, type SessionRequest } from "../../src/core/work/session/session_request.ts";
import { SessionRuns, type SessionRunsOptions } from "../../src/core/work/session/session_runs.ts";
import { Sessions } from "../../src/core/work/session/sessions.ts";
import { Tasks } from "../../src/core/work/tasks.ts";
import type { TreeEntry } from "../../src/engines/testing/tree.ts";
import {
  ConfigMaps,
  type Job,
  Jobs,
  PersistentVolumeClaims,
  type Pod,
  Pods,
  Secrets,
} from "../../src/kube/builtin.ts";
import { Informers } from "../../src/kube/cache/informers.ts";
import { ownerReference } from "../../src/kube/write/owners.ts";
import { systemClock as clock, sleep } from "../../src/lib/clock.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { noWatchObserver } from "../../src/observe/observers.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import type { Work } from "../../src/wire/work.ts";
import type { SessionWorld } from "./session_world.ts";

const ports = { clock, random, log };
const PATIENCE = 60_000;
const ROOT = { runAsUser: 0, runAsNonRoot: false };

/** A repository on a volume with one snapshot of another, and the words to ask about it. */
export class SessionStage {
  readonly #world: SessionWorld;
  readonly #engine: EngineName;

  constructor(world: SessionWorld, engine: EngineName) {
    this.#world = world;
    this.#engine = engine;
  }

  /** The parts of an operator that sessions are made of. */
  async operator(options: Partial<SessionRunsOptions> & { readonly limit?: number } = {}) {
    const { limit, ...more } = options;
    const { client, logs, namespace } = this.#world;
    const stop = new AbortController();
    const informers = new Informers({ ...ports, client, observer: noWatchObserver });
    const caches = runCaches(informers, namespace);
    void informers.run(stop.signal);
    await informers.whenSynced();
    const connect: SessionRunsOptions["connect"] = (place) => new HttpsSender(place);
    const account = { type: "own", pullSecrets: [] } as const;
    const accounts = new MoverAccounts({ ...ports, client, account });
    const runner = new SessionRuns({ ...ports, client, logs, caches, connect, accounts, ...more });
    const sessions = new Sessions({ ...ports, runner, ...(limit ? { limit } : {}) });
    const end = new AbortController();
    const running = sessions.run(end.signal, () => {});
    return {
      sessions,
      tasks: new Tasks({ ...ports, client, logs, caches, accounts }),
      /** Leaves everything as it is. */
      crash: () => stop.abort(new Error("crashed")),
      async [Symbol.asyncDispose]() {
        end.abort(new Error("the operator stops"));
        await running;
        stop.abort(new Error("the operator stops"));
      },
    };
  }

  /** Backs the tree up. Resolves to the snapshot's ID. */
  async fill(entries: readonly TreeEntry[]): Promise<string> {
    const { client, namespace } = this.#world;
    const { secret, data, repository } = this.#names;
    await client.create(Secrets, {
      metadata: { namespace, name: secret },
      stringData: { right: random.hex(16), wrong: random.hex(16) },
    });
    await client.create(ConfigMaps, { metadata: { namespace, name: repository } });
    for (const name of [data, repository]) await this.#claim(name);
    await this.#world.put({ namespace, name: data }, entries);
    await using operator = await this.operator();
    await this.#done(operator.tasks, "init", { init: { create: true } });
    const identity = { username: "data", hostname: namespace, path: "/holdfast/volumes/data" };
    const sources = [{ name: "data", path: identity.path, identity }];
    const decision = await this.#done(operator.tasks, "snapshot", { snapshot: { sources } });
    const { answer } = decision.result ?? {};
    if (!answer || !("snapshot" in answer)) throw new Error(`no snapshot: ${JSON.stringify(decision)}`);
    return answer.snapshot.snapshots[0]?.snapshot.id ?? "";
  }

  async request(more: { readonly password?: "right" | "wrong" } = {}): Promise<SessionRequest> {
    const { volumes: _, purpose: __, labels: ___, work, ...rest } = await this.#task("session", { init: {} });
    const { engine, repository } = work;
    const password = { secret: this.#names.secret, key: more.password ?? "right" };
    return { ...rest, engine, repository, secrets: { password } };
  }

  /** Jobs of sessions, whosever they are. */
  async jobs(): Promise<readonly Job[]> {
    const { client, namespace } = this.#world;
    return (await client.list(Jobs, { namespace, labelSelector: SESSION_LABEL })).items;
  }

  async pods(): Promise<readonly Pod[]> {
    const { client, namespace } = this.#world;
    return (await client.list(Pods, { namespace, labelSelector: SESSION_LABEL })).items;
  }

  /** Without a trace, as when its node goes. */
  async killPods(): Promise<void> {
    for (const { metadata } of await this.pods())
      await this.#world.client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
  }

  async untilGone(): Promise<void> {
    const { client, namespace } = this.#world;
    const end = clock.monotonic() + PATIENCE;
    for (;;) {
      const jobs = await this.jobs();
      const pods = await this.pods();
      const secrets = (await client.list(Secrets, { namespace })).items.filter(
        ({ data }) => data?.["tls.key"],
      );
      const left = [...jobs, ...pods, ...secrets].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      if (left.length === 0) return;
      if (clock.monotonic() > end) throw new Error(`still there: ${left.join(", ")}`);
      await sleep(clock, 100);
    }
  }

  get #names() {
    const engine = this.#engine;
    return { secret: `${engine}-secret`, data: `${engine}-data`, repository: `${engine}-repository` };
  }

  async #task(purpose: string, work: Work): Promise<RunTask> {
    const { client, namespace, moverImage } = this.#world;
    const { secret, data, repository } = this.#names;
    const object = await client.get(ConfigMaps, { namespace, name: repository });
    const owner = ownerReference({
      owner: { resource: ConfigMaps, object },
      dependent: { resource: Jobs, namespace },
      blockOwnerDeletion: false,
    });
    return {
      purpose,
      namespace,
      owner,
      work: {
        engine: this.#engine,
        repository: { backend: { filesystem: { path: "/holdfast/repository" } } },
        work,
      },
      secrets: { password: { secret, key: "right" } },
      volumes: [{ name: "data", claim: data, readOnly: true }],
      repositoryVolume: { claim: repository },
      mover: { image: moverImage, imagePullPolicy: "Never", podSecurityContext: ROOT },
    };
  }

  async #done(tasks: Tasks, purpose: string, work: Work) {
    const task = await this.#task(purpose, work);
    const end = clock.monotonic() + PATIENCE;
    let record: RunRecord | undefined;
    for (;;) {
      const decision = await tasks.decide({
        task,
        policy: { backoffLimit: 0 },
        ...(record ? { record } : {}),
      });
      record = decision.record;
      await tasks.carryOut(decision);
      const { state } = decision;
      if (state.phase === "Ended" && state.outcome === "Succeeded") return state;
      if (state.phase === "Ended" || clock.monotonic() > end)
        throw new Error(`${purpose} failed: ${JSON.stringify(state)}`);
      await sleep(clock, 50);
    }
  }

  async #claim(name: string): Promise<void> {
    const { client, namespace } = this.#world;
    await client.create(PersistentVolumeClaims, {
      metadata: { namespace, name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } } },
    });
  }
}
