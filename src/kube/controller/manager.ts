import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/result.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { type Runnable, ShutdownTimeout } from "./runnable.ts";

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
      const ready = Promise.withResolvers<void>();
      const abort = new AbortController();
      this.#entries.push({ group, runnable, abort, ready, ended: Promise.resolve(), state: "waiting" });
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
    const onAbort = () => this.#ending.resolve({ type: "told", reason: signal.reason });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    void this.#startAll();
    const { type, reason } = await this.#ending.promise;
    signal.removeEventListener("abort", onAbort);
    this.#stopping = true;
    this.#log.info({ reason: messageOf(reason) }, "stopping");
    await this.#stopAll(reason);
    if (type === "failed") throw reason;
  }

  async #startAll(): Promise<void> {
    for (const group of START_ORDER) {
      const entries = this.#entries.filter((entry) => entry.group === group);
      for (const entry of entries) this.#start(entry);
      const ready = Promise.all(entries.map((entry) => entry.ready.promise));
      await Promise.race([ready, this.#ending.promise]);
      if (await this.#hasEnding()) return;
      if (entries.length > 0) this.#log.info({ group }, "ready");
    }
  }

  async #hasEnding(): Promise<boolean> {
    return (await Promise.race([this.#ending.promise, undefined])) !== undefined;
  }

  #start(entry: Entry): void {
    entry.state = "starting";
    entry.ended = this.#run(entry);
  }

  async #run(entry: Entry): Promise<void> {
    const { group, runnable, abort, ready } = entry;
    const name = `${group}/${runnable.name}`;
    try {
      await runnable.run(abort.signal, () => {
        if (entry.state === "starting") entry.state = "running";
        ready.resolve();
      });
      if (!abort.signal.aborted) throw new RunnableFailed(`${name} ended without being asked to`);
      entry.state = "stopped";
    } catch (error) {
      entry.state = "failed";
      this.#log.error({ runnable: name, error: messageOf(error) }, "failed");
      this.#ending.resolve({ type: "failed", reason: error });
    }
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
    const timeout = new ShutdownTimeout(
      `still running ${seconds} s after the order to stop: ${busy.join(", ")}`,
      {
        cause,
      },
    );
    for (const entry of this.#entries) entry.abort.abort(timeout);
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
