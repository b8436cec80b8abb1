import type { Clock } from "../../lib/clock.ts";
import { fingerprint } from "../../lib/hash.ts";
import { LruMap } from "../../lib/lru_map.ts";
import type { Random } from "../../lib/random.ts";
import { messageOf } from "../../lib/result.ts";
import { TokenBucket, type TokenBucketOptions } from "../../lib/token_bucket.ts";
import type { Logger } from "../../observe/log.ts";
import { isAlreadyExists, isForbidden, isNotFound } from "../api_error.ts";
import { Events } from "../builtin.ts";
import type { Writer } from "../client.ts";
import { type KubeObject, keyOf, type ObjectName } from "../object.ts";
import { boundedMessage } from "./message.ts";
import { timestamp } from "./timestamp.ts";

/** Repeats within this time of each other, in milliseconds, are one Event with a count. */
const FOLD_WITHIN = 10 * 60_000;
/** Requests about one object: 25 at once, then one in five minutes. */
const ALLOWANCE: TokenBucketOptions = { burst: 25, perSecond: 1 / 300 };
const LONGEST_QUEUE = 1_000;
const REQUEST_TIMEOUT = 10_000;

/** What happened, in the words that the object's condition has. */
export interface EventNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Who says it; `kubectl describe` shows this as the origin. */
  readonly component: string;
  /** Which replica says it, such as the pod's name. */
  readonly instance?: string;
  /** How many series of repeats, and how many objects, are remembered. Default 4096. */
  readonly capacity?: number;
}

/** What an Event says of the object that it is about. The object itself would be kept in memory with each of them. */
type Reference = ReturnType<typeof referenceTo>;

/** An Event and its repeats. Thousands are remembered: what it says comes again with each repeat. */
interface Series {
  readonly firstTime: number;
  lastTime: number;
  /** Of the monotonic clock, as lastTime may jump. */
  lastSeen: number;
  count: number;
  name: string;
  state: "unwritten" | "written" | "refused";
  queued: boolean;
}

/** What waits to be written. */
interface Entry {
  readonly series: Series;
  readonly about: Reference;
  readonly note: EventNote;
}

/**
 * Tells an object's owner what happened to it, as core/v1 Events. Telling is best effort: it neither waits nor
 * fails; what cannot be written is dropped, with a line in the log at debug level. Repeats raise the count of
 * the Event that is there, and a flood about one object is thinned out.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series: LruMap<string, Series>;
  readonly #allowances: LruMap<string, TokenBucket>;
  readonly #queue: Entry[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    const { capacity = 4096 } = options;
    this.#options = options;
    this.#series = new LruMap(capacity);
    this.#allowances = new LruMap(capacity);
  }

  /** Says it, soon. What is not written now, for being too much, is counted in the next repeat that is. */
  event(about: KubeObject, said: EventNote): void {
    const note = { ...said, message: boundedMessage(said.message) };
    const series = this.#seriesOf(about, note);
    const entry = { series, about: referenceTo(about), note };
    series.count += 1;
    series.lastTime = this.#options.clock.now();
    series.lastSeen = this.#options.clock.monotonic();
    if (series.queued || series.state === "refused") return;
    if (this.#queue.length >= LONGEST_QUEUE) {
      this.#dropped(entry, "too many are waiting");
    } else if (!this.#allowed(about)) {
      this.#dropped(entry, "too many about this object");
    } else {
      series.queued = true;
      this.#queue.push(entry);
      this.#sending ??= this.#send();
    }
  }

  /** Resolves when nothing waits to be written: before the program ends. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  #seriesOf(about: KubeObject, note: EventNote): Series {
    const { clock } = this.#options;
    const { type, reason, message } = note;
    const key = fingerprint(JSON.stringify([identity(about), type, reason, message]), 20);
    const known = this.#series.get(key);
    if (known && clock.monotonic() - known.lastSeen <= FOLD_WITHIN) return known;
    const now = clock.now();
    const fresh: Series = {
      firstTime: now,
      lastTime: now,
      lastSeen: clock.monotonic(),
      count: 0,
      name: this.#nameFor(about.metadata),
      state: "unwritten",
      queued: false,
    };
    this.#series.set(key, fresh);
    return fresh;
  }

  #allowed(about: KubeObject): boolean {
    const key = identity(about);
    const allowance = this.#allowances.get(key) ?? new TokenBucket(ALLOWANCE, this.#options.clock);
    this.#allowances.set(key, allowance);
    return allowance.tryTake();
  }

  /** One at a time, so that a repeat never overtakes the creation of its Event. */
  async #send(): Promise<void> {
    for (let entry = this.#queue.shift(); entry; entry = this.#queue.shift()) {
      entry.series.queued = false;
      try {
        await this.#write(entry);
      } catch (error) {
        // A namespace that is going away or gone, or a missing permission: the next repeat would fare no better.
        if (isForbidden(error) || isNotFound(error)) entry.series.state = "refused";
        this.#dropped(entry, messageOf(error));
      }
    }
    this.#sending = undefined;
  }

  async #write(entry: Entry): Promise<void> {
    const { series, about } = entry;
    if (series.state === "written") {
      try {
        return await this.#raiseCount(entry);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // Events expire, after an hour by default.
        series.name = this.#nameFor(about);
        series.state = "unwritten";
      }
    }
    try {
      await this.#create(entry);
    } catch (error) {
      // The name is random: it was written by an earlier attempt whose answer was lost.
      if (!isAlreadyExists(error)) throw error;
    }
    series.state = "written";
  }

  async #raiseCount({ series, about }: Entry): Promise<void> {
    const patch = { count: series.count, lastTimestamp: timestamp(series.lastTime) };
    const name = { namespace: namespaceFor(about), name: series.name };
    await this.#options.writer.patch(Events, name, { type: "merge", patch }, { timeout: REQUEST_TIMEOUT });
  }

  async #create({ series, about, note }: Entry): Promise<void> {
    const { writer, component, instance } = this.#options;
    const event = {
      metadata: { namespace: namespaceFor(about), name: series.name },
      involvedObject: about,
      ...note,
      count: series.count,
      firstTimestamp: timestamp(series.firstTime),
      lastTimestamp: timestamp(series.lastTime),
      source: { component },
      reportingComponent: component,
      ...(instance === undefined ? {} : { reportingInstance: instance }),
    };
    await writer.create(Events, event, { timeout: REQUEST_TIMEOUT });
  }

  #nameFor({ name }: ObjectName): string {
    const suffix = this.#options.random.hex(8);
    const stem = name.slice(0, 253 - suffix.length - 1);
    // Some kinds have names that an Event may not have, such as `system:node`.
    return `${DNS_SUBDOMAIN.test(stem) ? stem : "event"}.${suffix}`;
  }

  #dropped({ about, note }: Entry, why: string): void {
    const object = `${about.kind} ${keyOf(about)}`;
    this.#options.log.debug({ object, reason: note.reason, why }, "event not written");
  }
}

const DNS_SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

function referenceTo({ apiVersion, kind, metadata }: KubeObject) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    resourceVersion,
  } as const;
}

function identity(about: KubeObject): string {
  return `${about.kind} ${keyOf(about)} ${about.metadata.uid}`;
}

/** What has no namespace is spoken of in `default`: an Event must have one. */
function namespaceFor({ namespace = "default" }: ObjectName): string {
  return namespace;
}
