import { aborted } from "../../lib/aborted.ts";
import { type Clock, deadline } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { stackOf } from "../../lib/result.ts";
import { type Logger, silentLogger } from "../../observe/log.ts";
import { noReconcileObserver, type QueueObserver, type ReconcileObserver } from "../../observe/observers.ts";
import type { Cache, Change } from "../cache/cache.ts";
import { judge } from "../failure.ts";
import type { KubeObject, ObjectKey } from "../object.ts";
import { LeadershipLost, type Runnable } from "../runnable.ts";
import { type AddOptions, type Priority, WorkQueue } from "./queue.ts";

/** What a reconcile that did not fail says about the next one. */
export type Outcome =
  | { readonly type: "done" }
  /** Look again after `ms`, if nothing changes sooner. */
  | { readonly type: "requeueAfter"; readonly ms: number };

export const done: Outcome = { type: "done" };

export function requeueAfter(ms: number): Outcome {
  return { type: "requeueAfter", ms };
}

export interface ControllerOptions {
  readonly name: string;
  /**
   * Brings the world in line with the object of this key: it must look, as the key says nothing of what changed.
   * Never runs twice at once for a key. What it throws is dealt with as `judge` says. When the signal aborts it
   * has to end soon.
   */
  readonly reconcile: (key: ObjectKey, signal: AbortSignal) => Promise<Outcome>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** Keys that are worked on at once. Default 1. */
  readonly concurrency?: number;
  /** After this a reconcile is aborted and counts as failed, in milliseconds. Default 120,000. */
  readonly deadline?: number;
  /** How long running reconciles may go on after the order to stop, before they are aborted. Default 10,000. */
  readonly grace?: number;
  readonly observer?: QueueObserver & ReconcileObserver;
  /** For elected work: no reconcile begins once this says no, whatever the timers have noticed. */
  readonly isLeader?: () => boolean;
}

export interface WatchSource<T extends KubeObject> {
  /** The keys that a change concerns. Default: the object's own. */
  readonly keys?: (change: Change<T>) => Iterable<ObjectKey>;
  /** Changes that it does not accept are passed over. Default: every change counts. */
  readonly when?: (change: Change<T>) => boolean;
  /** Nothing is reconciled before the cache is synced. Default true; otherwise whoever needs it has to look. */
  readonly awaited?: boolean;
}

/** Reconciles keys, one worker per key, from the changes of the caches that it watches. */
export class Controller implements Runnable {
  readonly name: string;
  /** How long a reconcile may take, in milliseconds. */
  readonly deadline: number;
  readonly #options: ControllerOptions;
  readonly #log: Logger;
  readonly #observer: ReconcileObserver;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #sources: {
    readonly cache: Pick<Cache<KubeObject>, "whenSynced">;
    readonly awaited: boolean;
    readonly follow: () => () => void;
  }[] = [];
  readonly #abort = new AbortController();

  constructor(options: ControllerOptions) {
    const { name, clock, random, observer } = options;
    this.name = name;
    this.deadline = options.deadline ?? 120_000;
    this.#options = options;
    this.#log = (options.log ?? silentLogger).child({ controller: name });
    this.#observer = observer ?? noReconcileObserver;
    this.#queue = new WorkQueue({ name, clock, random, ...(observer && { observer }) });
  }

  /** What waits and what runs, for gauges and health. */
  get queue(): Pick<WorkQueue<ObjectKey>, "depth" | "delayed" | "inFlight" | "longestRunning"> {
    return this.#queue;
  }

  /** Before `run`: lets changes of the cache lead to reconciles. What is there at the start comes last in line. */
  watch<T extends KubeObject>(cache: Cache<T>, source: WatchSource<T> = {}): this {
    const { keys = (change: Change<T>) => [change.key], when = () => true, awaited = true } = source;
    const follow = () => {
      let priority: Priority = "low";
      const end = cache.onChange((change) => {
        if (when(change)) for (const key of keys(change)) this.#queue.add(key, { priority });
      });
      priority = "normal";
      return end;
    };
    this.#sources.push({ cache, awaited, follow });
    return this;
  }

  /** Asks for a reconcile from outside the watches. */
  enqueue(key: ObjectKey, options?: AddOptions): void {
    this.#queue.add(key, options);
  }

  /** Resolves when the last reconcile has ended: nothing runs afterwards. */
  async run(signal: AbortSignal, ready: () => void, halt?: AbortSignal): Promise<void> {
    const following: (() => void)[] = [];
    const onHalt = () => this.#halt(halt?.reason);
    halt?.addEventListener("abort", onHalt, { once: true });
    try {
      const needed = this.#sources.filter(({ awaited }) => awaited);
      await Promise.all(needed.map(({ cache }) => cache.whenSynced(signal)));
      for (const { follow } of this.#sources) following.push(follow());
      const workers = Array.from({ length: this.#options.concurrency ?? 1 }, () => this.#work());
      ready();
      await aborted(signal);
      await this.#stop(signal.reason);
      await Promise.all(workers);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const end of following) end();
      halt?.removeEventListener("abort", onHalt);
    }
  }

  async #stop(reason: unknown): Promise<void> {
    const busy = await this.#queue.drain(this.#options.grace ?? 10_000);
    this.#abort.abort(reason);
    if (busy.length > 0) this.#log.warn({ keys: busy }, "stopping: aborted the reconciles that still run");
  }

  #halt(reason: unknown): void {
    this.#abort.abort(reason);
    void this.#queue.drain(0);
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      if (this.#options.isLeader?.() ?? true) await this.#reconcile(key);
      this.#queue.done(key);
    }
  }

  async #reconcile(key: ObjectKey): Promise<void> {
    const { clock, reconcile } = this.#options;
    const started = clock.monotonic();
    using bound = deadline(clock, this.deadline, `the reconcile of ${key}`, this.#abort.signal);
    let result: string;
    try {
      result = this.#settle(key, await reconcile(key, bound.signal));
    } catch (error) {
      result = this.#fail(key, bound.signal.aborted ? bound.signal.reason : error);
    }
    this.#observer.reconciled(this.name, result, clock.monotonic() - started, key);
  }

  #settle(key: ObjectKey, outcome: Outcome): string {
    this.#queue.forget(key);
    if (outcome.type === "done") return "done";
    this.#queue.addAfter(key, outcome.ms);
    return "requeued";
  }

  #fail(key: ObjectKey, error: unknown): string {
    if (this.#abort.signal.aborted || error instanceof LeadershipLost) return "aborted";
    const { class: failureClass, reason, message, retry, atLeast = 0 } = judge(error);
    const fields = { key, class: failureClass, reason, error: message };
    if (retry === undefined) {
      this.#queue.forget(key);
      this.#log.error(fields, "reconcile failed; it waits for an edit");
      return failureClass;
    }
    const delayMs = Math.round(this.#queue.addRateLimited(key, { backoff: retry, atLeast }));
    if (failureClass === "conflict") this.#log.debug({ ...fields, delayMs }, "reconcile met a newer version");
    else if (reason === "Unexpected")
      this.#log.error({ ...fields, delayMs, stack: stackOf(error) }, "reconcile failed");
    else this.#log.warn({ ...fields, delayMs }, "reconcile failed");
    return failureClass;
  }
}
