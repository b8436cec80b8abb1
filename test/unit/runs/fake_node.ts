import { moverContainer } from "../../../src/core/work/mover_container.ts";
import { runOf } from "../../../src/core/work/run_labels.ts";
import type { PodExec, PodExecRequest, StartCommand } from "../../../src/embedded/api/pod_exec.ts";
import type { PodLogs } from "../../../src/embedded/api/pod_logs.ts";
import { ApiError, isNotFound } from "../../../src/kube/api_error.ts";
import { ConfigMaps, type Pod, Pods } from "../../../src/kube/builtin.ts";
import type { Client } from "../../../src/kube/client.ts";
import type { ObjectName } from "../../../src/kube/object.ts";
import { timestamp } from "../../../src/kube/write/timestamp.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { ERROR_CLASSES, type ErrorClass } from "../../../src/wire/error_classes.ts";
import { EXIT_CODES } from "../../../src/wire/exit_codes.ts";
import { START_COMMAND } from "../../../src/wire/pod_layout.ts";
import type { Result } from "../../../src/wire/report.ts";
import type { WorkSpec } from "../../../src/wire/work.ts";
import { type FakeRepository, resultOf } from "./fake_repository.ts";

/** The node's name; whether there is an object of it is up to the test. */
export const NODE = "node-1";

/** Pods with another image are no movers. */
export const MOVER_IMAGE = "mover:1";

/** Pods with this image run until somebody deletes them. */
export const APP_IMAGE = "app:1";

/** How a mover ends. */
export type Fate =
  | { readonly type: "succeeds" }
  /** Reports a failure, after this many sources were done. */
  | { readonly type: "fails"; readonly class: ErrorClass; readonly sources?: number }
  /** Its pod goes without a trace, after this many sources were done. */
  | { readonly type: "vanishes"; readonly sources: number }
  /** Its node is given up, and its pod removed; it does its work when `workOn` is called. */
  | { readonly type: "worksOn" }
  | { readonly type: "runsOutOfMemory"; readonly sources: number }
  | { readonly type: "goesOn" }
  /** Its image cannot be had. */
  | { readonly type: "neverStarts" }
  /** Its node dies under it: nobody ends it, whoever asks. */
  | { readonly type: "hangs" };

export interface FakeNodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly repository: FakeRepository;
  /** The fate of each run of the task itself, in order; all others succeed. */
  readonly fates: Fate[];
  /** The same of each run that restores. Default: all succeed. */
  readonly restores?: Fate[];
  /** The same of each run that asks for snapshots. Default: all succeed. */
  readonly asks?: Fate[];
}

/** A node whose movers do their work in an instant, one step at each tick. */
export class FakeNode implements PodLogs, PodExec {
  /** The runs whose movers were started, in order. */
  readonly started: string[] = [];
  readonly #options: FakeNodeOptions;
  readonly #fates = new Map<string, Fate>();
  readonly #logs = new Map<string, string>();
  readonly #unseen: WorkSpec[] = [];
  /** The labels of pods that are no movers, and ended well, in order. */
  readonly others: Readonly<Record<string, string>>[] = [];
  /** The names of pods in which the command to start was run, each time. */
  readonly told: string[] = [];

  constructor(options: FakeNodeOptions) {
    this.#options = options;
  }

  async *read({ name }: { readonly name: string }): AsyncIterable<Uint8Array> {
    const log = this.#logs.get(name);
    if (log === undefined)
      throw new ApiError({ request: "logs", code: 400, status: { reason: "BadRequest" } });
    yield Buffer.from(log);
  }

  /** The only command that is known here tells a mover to start. */
  async open({ name }: ObjectName, { command }: PodExecRequest): Promise<StartCommand> {
    if (command.join(" ") !== START_COMMAND.join(" ")) throw new Error(`there is no ${command.join(" ")}`);
    return async () => {
      this.told.push(name);
      const nothing = async function* () {};
      return { stdout: nothing(), stderr: nothing(), ended: Promise.resolve({ code: 0 }) };
    };
  }

  async tick(): Promise<void> {
    const { items } = await this.#options.client.list(Pods);
    for (const pod of items) await this.#step(pod).catch(unlessGone);
  }

  /** Lets a mover that goes on come to a good end. */
  async finish(pod: Pod): Promise<void> {
    if (this.#fates.get(runOf(pod))?.type !== "goesOn") return;
    this.#fates.delete(runOf(pod));
    await this.#step(pod);
  }

  /** Movers whose nodes were given up come to the end of their work after all. */
  workOn(): void {
    const { repository, clock } = this.#options;
    for (const spec of this.#unseen.splice(0)) repository.perform(spec, clock.now());
  }

  async #step(pod: Pod): Promise<void> {
    const image = pod.spec?.containers[0]?.image;
    if (image === APP_IMAGE) return this.#runApp(pod);
    const { type } = moverContainer(pod);
    if (type === "ended") return this.#letGo(pod);
    if (image !== MOVER_IMAGE) return this.#complete(pod);
    const spec = await this.#workOf(pod);
    // A kubelet waits for what is to be mounted, unless nobody wants the pod any more.
    if (!spec) return this.#letGo(pod);
    if (type === "waiting") return this.#start(pod, spec);
    if (this.#fates.get(spec.run)?.type === "hangs") return;
    if (pod.metadata.deletionTimestamp) return this.#end(pod, spec, { type: "fails", class: "Cancelled" });
    if (spec.startsBySignal && !this.told.includes(pod.metadata.name)) return;
    // A session goes on until it is ended; nobody answers in it.
    if ("session" in spec.work) return;
    return this.#end(pod, spec, this.#fates.get(spec.run) ?? { type: "succeeds" });
  }

  async #runApp(pod: Pod): Promise<void> {
    const { phase } = pod.status ?? {};
    if (phase !== "Running" && phase !== "Succeeded") await this.#write(pod, "Running", undefined);
    await this.#letGo(pod);
  }

  async #complete(pod: Pod): Promise<void> {
    this.others.push(pod.metadata.labels ?? {});
    const times = { startedAt: this.#now, finishedAt: this.#now };
    await this.#write(pod, "Succeeded", { terminated: { exitCode: 0, ...times } });
    await this.#letGo(pod);
  }

  async #workOf(pod: Pod): Promise<WorkSpec | undefined> {
    const name = { namespace: pod.metadata.namespace, name: runOf(pod) };
    const map = await this.#options.client.get(ConfigMaps, name).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
    return map && JSON.parse(map.data?.["work.json"] ?? "");
  }

  async #start(pod: Pod, spec: WorkSpec): Promise<void> {
    const { fates, restores = [], asks = [] } = this.#options;
    const { work } = spec;
    const next = "snapshot" in work ? fates : "restore" in work ? restores : "catalog" in work ? asks : [];
    const fate = this.#fates.get(spec.run) ?? next.shift();
    if (fate) this.#fates.set(spec.run, fate);
    if (fate?.type === "neverStarts") return this.#letGo(pod);
    this.started.push(spec.run);
    const begun = { log: { level: "info", message: "begun" } };
    const prepared = { progress: { version: 1, step: "Prepared" } };
    const said = spec.startsBySignal ? [begun, prepared] : [begun];
    this.#logs.set(pod.metadata.name, said.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await this.#options.client.patch(Pods, pod.metadata, {
      type: "merge",
      patch: { spec: { nodeName: NODE } },
    });
    await this.#write(pod, "Running", { running: { startedAt: this.#now } });
  }

  async #end(pod: Pod, spec: WorkSpec, fate: Fate): Promise<void> {
    const { repository, clock } = this.#options;
    const perform = (sources?: number) => repository.perform(spec, clock.now(), sources);
    switch (fate.type) {
      case "goesOn":
      case "neverStarts":
      case "hangs":
        return;
      case "succeeds":
        return this.#report(pod, resultOf(spec, clock.now(), { answer: perform() }), 0);
      case "fails": {
        const answer = fate.sources === undefined ? {} : { answer: perform(fate.sources) };
        const failure = { class: fate.class, message: "told to", remedy: ERROR_CLASSES[fate.class].remedy };
        const result = resultOf(spec, clock.now(), { ...answer, failure });
        return this.#report(pod, result, EXIT_CODES[fate.class]);
      }
      case "runsOutOfMemory":
        perform(fate.sources);
        return this.#write(pod, "Failed", { terminated: { exitCode: 137, reason: "OOMKilled" } });
      case "vanishes":
        perform(fate.sources);
        return this.#giveUp(pod);
      case "worksOn":
        this.#unseen.push(spec);
        return this.#giveUp(pod);
    }
  }

  async #report(pod: Pod, result: Result, exitCode: number): Promise<void> {
    const { name } = pod.metadata;
    this.#logs.set(name, `${this.#logs.get(name) ?? ""}${JSON.stringify({ result })}\n`);
    const message = JSON.stringify(result);
    const times = { startedAt: this.#now, finishedAt: this.#now };
    await this.#write(pod, exitCode === 0 ? "Succeeded" : "Failed", {
      terminated: { exitCode, message, ...times },
    });
    await this.#letGo(pod);
  }

  async #giveUp(pod: Pod): Promise<void> {
    await this.#write(pod, "Failed", undefined);
    await this.#options.client.delete(Pods, pod.metadata, { gracePeriodSeconds: 0 });
  }

  async #letGo({ metadata }: Pod): Promise<void> {
    if (metadata.deletionTimestamp)
      await this.#options.client.delete(Pods, metadata, { gracePeriodSeconds: 0 });
  }

  get #now(): string {
    return timestamp(this.#options.clock.now());
  }

  async #write(pod: Pod, phase: string, state: object | undefined): Promise<void> {
    const container = { name: "mover", image: "mover:1", imageID: "", ready: false, restartCount: 0, state };
    const status = { phase, containerStatuses: state ? [container] : null };
    const patch = { type: "merge", patch: { status } } as const;
    await this.#options.client.patch(Pods, pod.metadata, patch as never, { subresource: "status" });
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
