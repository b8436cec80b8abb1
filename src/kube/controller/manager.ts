import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/result.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { type Runnable, ShutdownTimeout } from "../runnable.ts";

/** The groups in the order of their start. Each begins when the one before is ready; they stop in reverse. */
export const START_ORDER = ["servers", "webhooks", "caches", "leader", "elected"] as const;

export type GroupName = (typeof START_ORDER)[number];

export type RunnableState = "waiting" | "starting" | "running" | "stopping" | "stopped" | "failed";

export interface ManagerOptions {
  readonly clock: Clock;
  readonly log?: Logger;
  /** For the whole stop, in milliseconds. Default 25,000: below the 30 s that Kubernetes gives a pod. */
  readonly shutdownDeadline?: number;
}

/** A runnable came to its end without being asked to. */
export class RunnableFailed extends Error {
  override name = "RunnableFailed";
}

interface Entry {
  readonly group: GroupName;
  readonly runnable: Runnable;
  readonly abort: AbortController;
  readonly halt: AbortController;
  readonly ready: PromiseWithResolvers<void>;
  ended: Promise<void>;
  state: RunnableState;
}

/** Why everything stops: it was told to, or something failed. */
type Ending = { readonly type: "told" | "failed"; readonly reason: unknown };

/** Starts the parts of a program in order, and stops all of them when told to, or when one of them fails. */
export class Manager {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #shutdownDeadline: number;
  readonly #entries: Entry[] = [];
  readonly #ending = Promise.withResolvers<Ending>();
  #stopping = false;

  constructor(options: ManagerOptions) {
    this.#clock = options.clock;
    this.#log = options.log ?? silentLogger;
    this.#shutdownDeadline = options.shutdownDeadline ?? 25_000;
  }

  /** Before `run`. */
  add(group: GroupName, ...runnables: readonly Runnable[]): this {
    for (const runnable of runnables) {
      this.#entries.push({
        group,
        runnable,
        abort: new AbortController(),
        halt: new AbortController(),
        ready: Promise.withResolvers(),
        ended: Promise.resolve(),
        state: "waiting",
      });
    }
    return this;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** What each part is doing, for health. */
  states(): readonly { readonly group: GroupName; readonly name: string; readonly state: RunnableState }[] {
    return this.#entries.map(({ group, runnable, state }) => ({ group, name: runnable.name, state }));
  }

  /**
   * Resolves when everything has stopped because the signal aborted. Rejects when a part failed, with that
   * failure, once the others have stopped; or with ShutdownTimeout, and then the process must exit at once.
   */
  async run(signal: AbortSignal): Promise<void> {
    const onAbort = () => this.#end({ type: "told", reason: signal.reason });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    void this.#startAll();
    const { type, reason } = await this.#ending.promise;
    signal.removeEventListener("abort", onAbort);
    this.#log.info({ reason: messageOf(reason) }, "stopping");
    await this.#stopAll(reason);
    if (type === "failed") throw reason;
  }

  async #startAll(): Promise<void> {
    for (const group of START_ORDER) {
      if (this.#stopping) return;
      const entries = this.#entries.filter((entry) => entry.group === group);
      for (const entry of entries) this.#start(entry);
      const ready = Promise.all(entries.map((entry) => entry.ready.promise));
      await Promise.race([ready, this.#ending.promise]);
      if (entries.length > 0 && !this.#stopping) this.#log.info({ group }, "ready");
    }
  }

  #start(entry: Entry): void {
    entry.state = "starting";
    entry.ended = this.#run(entry);
  }

  async #run(entry: Entry): Promise<void> {
    const { group, runnable, abort, halt, ready } = entry;
    const name = `${group}/${runnable.name}`;
    try {
      const onReady = () => {
        if (entry.state === "starting") entry.state = "running";
        ready.resolve();
      };
      await runnable.run(abort.signal, onReady, halt.signal);
      if (!abort.signal.aborted) throw new RunnableFailed(`${name} ended without being asked to`);
      entry.state = "stopped";
    } catch (error) {
      entry.state = "failed";
      if (group === "leader") this.#haltElected(error);
      this.#log.error({ runnable: name, error: messageOf(error) }, "failed");
      this.#end({ type: "failed", reason: error });
    }
  }

  /** Without leadership elected work has no time to wind down, not even while the program is stopping anyway. */
  #haltElected(reason: unknown): void {
    for (const { group, halt } of this.#entries) if (group === "elected") halt.abort(reason);
  }

  /** The first reason counts. From here on nothing is started. */
  #end(ending: Ending): void {
    this.#stopping = true;
    this.#ending.resolve(ending);
  }

  async #stopAll(reason: unknown): Promise<void> {
    const end = this.#clock.monotonic() + this.#shutdownDeadline;
    for (const group of START_ORDER.toReversed()) {
      const entries = this.#entries.filter((entry) => entry.group === group && entry.state !== "waiting");
      for (const entry of entries) this.#abort(entry, reason);
      if (!(await this.#within(end, entries))) this.#giveUp(reason);
    }
  }

  #abort(entry: Entry, reason: unknown): void {
    if (entry.state === "starting" || entry.state === "running") entry.state = "stopping";
    entry.abort.abort(reason);
  }

  /** What has not been told to stop yet learns that it must not hand over: above all the leader its lease. */
  #giveUp(cause: unknown): never {
    const busy = this.#entries
      .filter((entry) => entry.state === "stopping")
      .map((entry) => entry.runnable.name);
    const seconds = this.#shutdownDeadline / 1000;
    const message = `still running ${seconds} s after the order to stop: ${busy.join(", ")}`;
    const timeout = new ShutdownTimeout(message, { cause });
    for (const entry of this.#entries) {
      entry.halt.abort(timeout);
      entry.abort.abort(timeout);
    }
    throw timeout;
  }

  /** True when all have ended by then. */
  async #within(end: number, entries: readonly Entry[]): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const cancel = this.#clock.after(end - this.#clock.monotonic(), () => late.resolve(false));
    const ended = Promise.all(entries.map((entry) => entry.ended)).then(() => true as const);
    try {
      return await Promise.race([ended, late.promise]);
    } finally {
      cancel();
    }
  }
}
