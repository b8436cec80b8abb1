import type { Clock } from "../../lib/clock.ts";
import { nextTurn } from "../../lib/turn.ts";
import { History } from "./history.ts";
import type { Journal } from "./journal.ts";
import { SharedFieldSets } from "./shared_field_sets.ts";
import { SharedTexts } from "./shared_texts.ts";
import { SortedObjects } from "./sorted_objects.ts";
import { type Change, type Listing, type Store, StoreConflict, type Stored, type StoreKey } from "./store.ts";

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Makes the writes durable. Without one they end with the process. */
  readonly journal?: Journal;
  /** Changes that are remembered for watches that resume. Default 10,000. */
  readonly historyLimit?: number;
  /** How long they are remembered at most, in milliseconds. Default five minutes. */
  readonly historyAge?: number;
}

interface Write {
  readonly key: StoreKey;
  readonly expected: string | undefined;
  readonly object: Stored;
  readonly deletes: boolean;
  readonly resolve: (object: Stored) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Every object in memory, by reference. With a journal, writes of one turn of the event loop share a transaction:
 * readers and watchers see them when it is durable.
 */
export class MemoryStore implements Store {
  readonly #journal: Journal | undefined;
  readonly #resources = new Map<string, SortedObjects>();
  readonly #fieldSets = new SharedFieldSets();
  readonly #texts = new SharedTexts();
  readonly #history: History;
  readonly #listeners = new Set<(change: Change) => void>();
  #revision = 1;
  #queue: Write[] = [];
  #committing = false;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    const { clock, journal, historyLimit = 10_000, historyAge = 5 * 60_000 } = options;
    this.#journal = journal;
    if (journal) {
      const saved = journal.load();
      for (const { key, object } of saved.objects) {
        this.#set(key, this.#shared(object, object.metadata.resourceVersion));
      }
      this.#revision = Math.max(this.#revision, saved.revision);
    }
    this.#history = new History({ clock, floor: this.#revision, limit: historyLimit, maxAge: historyAge });
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: StoreKey): Stored | undefined {
    return this.#resources.get(key.resource)?.get(key.namespace, key.name);
  }

  list(resource: string, namespace?: string): Listing {
    return { revision: this.#revision, objects: this.#resources.get(resource)?.list(namespace) ?? [] };
  }

  put(key: StoreKey, object: Stored, expected: string | undefined): Promise<Stored> {
    return this.#write({ key, object, expected, deletes: false });
  }

  delete(key: StoreKey, last: Stored, expected: string): Promise<Stored> {
    return this.#write({ key, object: last, expected, deletes: true });
  }

  changesSince(revision: number): readonly Change[] | undefined {
    return this.#history.since(revision);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  compact(revision: number): void {
    this.#history.forget(revision);
  }

  close(): void {
    if (this.#closed) return;
    this.#commitAll();
    this.#closed = true;
    this.#listeners.clear();
    this.#journal?.close();
  }

  #write(write: Omit<Write, "resolve" | "reject">): Promise<Stored> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error("the store is closed: no write is possible any more");
      this.#queue.push({ ...write, resolve, reject });
      if (!this.#journal) this.#commitAll();
      else if (this.#queue.length === 1) nextTurn(() => this.#commitAll());
    });
  }

  /** A listener may write too: its change comes after those that it is being told of. */
  #commitAll(): void {
    if (this.#committing) return;
    this.#committing = true;
    try {
      while (this.#queue.length > 0) this.#commit(this.#queue.splice(0));
    } finally {
      this.#committing = false;
    }
  }

  /** All of these writes, but for those that conflict, or none of them. */
  #commit(writes: readonly Write[]): void {
    const changes: Change[] = [];
    const answers: (() => void)[] = [];
    const ahead = new Map<string, Stored | undefined>();
    for (const write of writes) {
      const { expected, object, deletes } = write;
      const key = this.#sharedKey(write.key);
      const id = `${key.resource}/${key.namespace}/${key.name}`;
      const previous = ahead.has(id) ? ahead.get(id) : this.get(key);
      if (previous?.metadata.resourceVersion !== expected) {
        answers.push(() => write.reject(conflict(key, expected, previous)));
        continue;
      }
      const revision = this.#revision + changes.length + 1;
      const stamped = this.#shared(object, String(revision));
      ahead.set(id, deletes ? undefined : stamped);
      const type = deletes ? "DELETED" : previous ? "MODIFIED" : "ADDED";
      changes.push({ revision, type, key, object: stamped, ...(previous && { previous }) });
      answers.push(() => write.resolve(stamped));
    }
    try {
      if (changes.length > 0) this.#journal?.append(changes);
    } catch (error) {
      for (const write of writes) write.reject(error);
      return;
    }
    for (const change of changes) {
      this.#set(change.key, change.type === "DELETED" ? undefined : change.object);
      this.#revision = change.revision;
      this.#history.push(change);
    }
    for (const answer of answers) answer();
    for (const change of changes) {
      for (const listener of this.#listeners) listener(change);
    }
  }

  /** The object under its revision; what it has in common with others, it shares with them. */
  #shared(object: Stored, resourceVersion: string): Stored {
    const { namespace, creationTimestamp, managedFields } = object.metadata;
    return {
      ...object,
      apiVersion: this.#texts.one(object.apiVersion),
      metadata: {
        ...object.metadata,
        ...(namespace !== undefined && { namespace: this.#texts.one(namespace) }),
        ...(creationTimestamp !== undefined && { creationTimestamp: this.#texts.one(creationTimestamp) }),
        ...(managedFields && { managedFields: this.#fieldSets.one(managedFields) }),
        resourceVersion,
      },
    };
  }

  #sharedKey({ resource, namespace, name }: StoreKey): StoreKey {
    return { resource: this.#texts.one(resource), namespace: this.#texts.one(namespace), name };
  }

  #set(key: StoreKey, object: Stored | undefined): void {
    const objects = this.#resources.get(key.resource) ?? new SortedObjects();
    this.#resources.set(key.resource, objects);
    if (object) objects.set(key.namespace, key.name, object);
    else objects.delete(key.namespace, key.name);
  }
}

function conflict(key: StoreKey, expected: string | undefined, found: Stored | undefined): StoreConflict {
  const name = key.namespace ? `${key.namespace}/${key.name}` : key.name;
  const is = found ? `is at resourceVersion ${found.metadata.resourceVersion}` : "does not exist";
  const should = expected === undefined ? "was not to exist" : `was expected at ${expected}`;
  return new StoreConflict(`${key.resource} ${name} ${is}, but ${should}`);
}
