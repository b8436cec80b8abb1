import { type BackoffOptions, backoff } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { TokenBucket, type TokenBucketOptions } from "../../lib/token_bucket.ts";
import { noQueueObserver, type QueueObserver } from "../../observe/observers.ts";
import { Delays } from "./delays.ts";
import { Heap, type HeapEntry } from "./heap.ts";

/** `low` is for bulk such as the first sync, `high` for what somebody waits for. */
export type Priority = "low" | "normal" | "high";

export interface WorkQueueOptions {
  /** How the queue is called in metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly observer?: QueueObserver;
  /**
   * How many milliseconds of waiting a priority is worth. A key goes before every key that becomes ready later
   * than the difference, whatever the priorities: nothing starves. Default: low 0, normal 10,000, high 60,000.
   */
  readonly headStart?: Readonly<Record<Priority, number>>;
  /** The delay of rate-limited adds, per key. Default: from 1 s to 5 min. */
  readonly backoff?: BackoffOptions;
  /** The limit of rate-limited adds, of all keys together. Default: 10 a second, 100 at once. */
  readonly retryLimit?: TokenBucketOptions;
}

export interface AddOptions {
  /** Default `normal`. Of several adds that fold into one, the most urgent counts. */
  readonly priority?: Priority;
}

export interface RetryOptions extends AddOptions {
  /** Instead of the queue's own. A key's failures are counted anew when the base changes. */
  readonly backoff?: BackoffOptions;
  /** No retry sooner than this, in milliseconds: what a server asked for. */
  readonly atLeast?: number;
}

interface Pending<K> extends HeapEntry {
  readonly key: K;
  readonly order: number;
  readonly since: number;
  readonly rank: number;
}

type Taker<K> = (key: K | undefined) => void;

/**
 * Keys that wait to be worked on. A key is with one worker at a time; adds of a key that is waiting fold into
 * one; a key that is added while a worker has it is given out once more afterwards.
 */
export class WorkQueue<K extends string> {
  readonly #options: WorkQueueOptions;
  readonly #observer: QueueObserver;
  readonly #headStart: Readonly<Record<Priority, number>>;
  readonly #bucket: TokenBucket;
  /** What has been added and not been taken; in #ready too, unless a worker has the key now. */
  readonly #pending = new Map<K, Pending<K>>();
  readonly #ready = new Heap<Pending<K>>(
    (a, b) => a.rank < b.rank || (a.rank === b.rank && a.order < b.order),
  );
  readonly #delays: Delays<K, Priority>;
  readonly #inFlight = new Map<K, number>();
  readonly #failures = new Map<K, { readonly base: number; readonly count: number }>();
  readonly #takers = new Set<Taker<K>>();
  readonly #idleListeners = new Set<() => void>();
  #order = 0;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#observer = options.observer ?? noQueueObserver;
    this.#headStart = options.headStart ?? { low: 0, normal: 10_000, high: 60_000 };
    this.#bucket = new TokenBucket(options.retryLimit ?? { perSecond: 10, burst: 100 }, options.clock);
    this.#delays = new Delays(options.clock, (key, priority) => this.add(key, { priority }));
  }

  /** Keys that a worker could take now. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Keys that wait for their time. */
  get delayed(): number {
    return this.#delays.size;
  }

  /** Keys that workers have now. */
  get inFlight(): readonly K[] {
    return [...this.#inFlight.keys()];
  }

  /** For how many milliseconds a worker has had the key that it has had longest; 0 when none has one. */
  get longestRunning(): number {
    const [started] = this.#inFlight.values();
    return started === undefined ? 0 : this.#now() - started;
  }

  add(key: K, options: AddOptions = {}): void {
    if (this.#closed) return;
    this.#observer.added(this.#options.name);
    const folded = this.#pending.get(key);
    const since = folded?.since ?? this.#now();
    const rank = since - this.#headStart[options.priority ?? "normal"];
    if (folded && folded.rank <= rank) return;
    if (folded) this.#ready.remove(folded);
    const pending = { key, order: folded?.order ?? this.#order++, since, rank, index: -1 };
    this.#pending.set(key, pending);
    if (!this.#inFlight.has(key)) this.#ready.push(pending);
    this.#handOut();
  }

  /**
   * Sees to it that the key is looked at no later than `ms` from now. The earliest of several delays counts, and
   * any worker that takes the key meanwhile has kept the promise: it decides anew when to look again.
   */
  addAfter(key: K, ms: number, options: AddOptions = {}): void {
    if (this.#closed || this.#pending.has(key)) return;
    if (ms <= 0) this.add(key, options);
    else this.#delays.set(key, ms, options.priority ?? "normal");
  }

  /** Adds the key after a delay that grows with each call until `forget`. Returns the delay. */
  addRateLimited(key: K, options: RetryOptions = {}): number {
    if (this.#closed) return 0;
    const policy = options.backoff ?? this.#options.backoff ?? { base: 1_000, cap: 300_000 };
    const before = this.#failures.get(key);
    const count = before?.base === policy.base ? before.count + 1 : 1;
    this.#failures.set(key, { base: policy.base, count });
    this.#observer.retried(this.#options.name);
    const own = backoff(count, policy, this.#options.random);
    const delay = Math.max(own, options.atLeast ?? 0, this.#bucket.reserve());
    this.addAfter(key, delay, options);
    return delay;
  }

  /** The key's next rate-limited add starts from the shortest delay again. */
  forget(key: K): void {
    this.#failures.delete(key);
  }

  /**
   * The next key, which the caller hands back with `done`. Undefined once the queue is drained; rejects with the
   * signal's reason.
   */
  take(signal?: AbortSignal): Promise<K | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const taker: Taker<K> = (key) => {
        this.#takers.delete(taker);
        signal?.removeEventListener("abort", onAbort);
        resolve(key);
      };
      const onAbort = () => {
        this.#takers.delete(taker);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#takers.add(taker);
      this.#handOut();
    });
  }

  /** The worker is through with the key. */
  done(key: K): void {
    const started = this.#inFlight.get(key);
    if (started === undefined) throw new Error(`queue ${this.#options.name}: ${key} is with no worker`);
    this.#inFlight.delete(key);
    this.#observer.finished(this.#options.name, this.#now() - started);
    const again = this.#pending.get(key);
    if (again) this.#ready.push(again);
    this.#handOut();
    if (this.#inFlight.size === 0) for (const listener of this.#idleListeners) listener();
  }

  /**
   * Closes the queue: what waits is dropped (whoever comes next lists everything anyway), adds are ignored, takers
   * get undefined. Resolves when the workers are through, or after `ms`, with the keys that they still have.
   */
  drain(ms: number): Promise<readonly K[]> {
    this.#closed = true;
    this.#pending.clear();
    this.#ready.clear();
    this.#delays.clear();
    for (const taker of this.#takers) taker(undefined);
    if (this.#inFlight.size === 0) return Promise.resolve([]);
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#idleListeners.delete(finish);
        resolve(this.inFlight);
      };
      const cancel = this.#options.clock.after(ms, finish);
      this.#idleListeners.add(finish);
    });
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #handOut(): void {
    for (const taker of this.#takers) {
      const next = this.#ready.pop();
      if (next === undefined) return;
      this.#start(next);
      taker(next.key);
    }
  }

  #start({ key, since }: Pending<K>): void {
    this.#pending.delete(key);
    this.#delays.delete(key);
    this.#inFlight.set(key, this.#now());
    this.#observer.taken(this.#options.name, this.#now() - since);
  }
}
