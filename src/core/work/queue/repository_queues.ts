import type { Job, Pod } from "../../../kube/builtin.ts";
import { type Cache, type Change, lastSeen } from "../../../kube/cache/cache.ts";
import type { KubeObject, ObjectKey } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import { hasEnded } from "../mover_container.ts";
import type { RunCaches } from "../run_caches.ts";
import { OWNER_LABEL, POOL_LABEL, SEAT_LABEL } from "../run_labels.ts";
import type { RunRecord } from "../run_record.ts";
import { isFinished } from "../state_of_run.ts";
import type { Evidence } from "./breaker.ts";
import { Contacts } from "./contacts.ts";
import { type Claimant, type Place, slotId } from "./place.ts";
import { type QueueLimits, RepositoryQueue } from "./repository_queue.ts";
import { UnvouchedWork } from "./unvouched_work.ts";

export interface RepositoryQueuesOptions {
  readonly caches: RunCaches;
  readonly clock: Clock;
  /** How many runs there may be at once, on all repositories together. Default 100. */
  readonly maxRuns?: number;
  /** Where the runs of owners without a namespace are. Default: they may be anywhere. */
  readonly home?: string;
}

const MAX_RUNS = 100;

/** A kind of object that keeps records of runs. */
export interface RecordHolders<T extends KubeObject> {
  readonly cache: Cache<T>;
  readonly records: (object: T) => readonly RunRecord[];
  /** Looks at an object again. */
  readonly wake: (key: ObjectKey) => void;
}

/** A kind of object that stands for repositories. */
export interface QueuedRepositories<T extends KubeObject> {
  readonly cache: Cache<T>;
  readonly terms: (object: T) => QueueLimits;
  /** Looks at an object again: something new is known of its storage, or its first run has begun or its last ended. */
  readonly wake: (key: ObjectKey) => void;
}

export interface SlotRequest {
  /** The UID of the run's owner. An owner has one seat at a time, or one of each name. */
  readonly owner: string;
  readonly slot?: string | undefined;
  readonly pool: string;
  readonly terms: QueueLimits;
  readonly claimant: Claimant;
  /** Where it stands already, as its record has it. */
  readonly place?: Place | undefined;
}

/** Whether a run may begin. The place is to be kept in its record either way. */
export interface Turn {
  readonly place: Place;
  /** How many work and wait there besides. */
  readonly running: number;
  readonly waiting: number;
}

/**
 * Who may work on which repository. Seats and those who wait for them are read from objects, through caches: after a
 * restart, or under another leader, the same ones are there. At most as many more than a repository's limit can begin
 * as writes of the last leader had not been seen yet by its successor.
 */
export class RepositoryQueues {
  readonly #options: RepositoryQueuesOptions;
  readonly #queues = new Map<string, RepositoryQueue>();
  readonly #contacts = new Contacts();
  readonly #follow: (() => () => void)[] = [];
  /** Looks at a repository again, by its UID. */
  readonly #repositories = new Map<string, () => void>();
  /** The repositories where somebody works or waits. */
  readonly #atWork = new Set<string>();
  readonly #timers = new Map<string, () => void>();
  /** Where the runs of each keeper of records are; undefined for anywhere. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #unvouched = new UnvouchedWork();
  /** The seats that Jobs and pods hold. */
  readonly #held = new Map<string, string>();

  constructor(options: RepositoryQueuesOptions) {
    this.#options = options;
    const { jobs, pods } = options.caches;
    this.#follow.push(
      () => jobs.onChange((change) => this.#works(change, "job", mayRun)),
      () => pods.onChange((change) => this.#works(change, "pod", (pod: Pod) => !hasEnded(pod))),
    );
  }

  /** Before `start`: the places and contacts in these objects' records count. */
  recordHolders<T extends KubeObject>({ cache, records, wake }: RecordHolders<T>): void {
    this.#follow.push(() =>
      cache.onChange((change) => {
        if (change.type === "removed")
          return this.#forget(change.previous.metadata.uid, records(change.previous));
        const { metadata } = change.object;
        const before = change.type === "updated" ? records(change.previous) : [];
        this.#know(metadata.uid, records(change.object), before, () => wake(change.key));
        this.#vouch(metadata.uid, metadata.namespace ?? this.#options.home);
      }),
    );
  }

  /** Before `start`: these objects say how much may be done on the repositories that they stand for. */
  repositories<T extends KubeObject>({ cache, terms, wake }: QueuedRepositories<T>): void {
    this.#follow.push(() =>
      cache.onChange((change) => {
        const { uid } = lastSeen(change).metadata;
        if (change.type === "removed") {
          this.#repositories.delete(uid);
          return;
        }
        this.#repositories.set(uid, () => wake(change.key));
        this.#agree(uid, terms(change.object));
      }),
    );
  }

  /** Follows the caches until the returned function ends it. */
  start(): () => void {
    const ends = this.#follow.map((follow) => follow());
    return () => {
      for (const end of ends) end();
      for (const cancel of this.#timers.values()) cancel();
      this.#timers.clear();
    };
  }

  /** Asks for a seat. One that is given is kept for half a minute, until the owner's record says so. */
  ask({ owner, slot, pool: uid, terms, claimant, place: before }: SlotRequest): Turn {
    const { clock } = this.#options;
    const id = slotId(owner, slot);
    const pool = this.#pool(uid);
    pool.terms = terms;
    const monotonic = clock.monotonic();
    const same = before?.pool === uid ? before : undefined;
    const since = same?.since ?? new Date(clock.now()).toISOString();
    const others = pool.seated(monotonic, id).size;
    const waiting = pool.waiting - (same && !same.seated ? 1 : 0);
    const asking = { ...claimant, id, since: Date.parse(since) };
    const kept = same?.seated && (terms.breaker === "Closed" || claimant.steady || same.probe);
    const given = kept || pool.next(clock.now(), monotonic, this.#left(id), asking).includes(asking);
    pool.give(id, given ? claimant : undefined, monotonic);
    const probe = given && terms.breaker !== "Closed" && !claimant.steady;
    const place = {
      ...claimant,
      pool: uid,
      ...(slot === undefined ? {} : { slot }),
      since,
      ...(given ? { seated: true } : {}),
      ...(probe ? { probe } : {}),
    };
    return { place, running: others, waiting };
  }

  /** How many runs work on a repository, and how many wait. */
  count(uid: string): { readonly running: number; readonly waiting: number } {
    const pool = this.#queues.get(uid);
    return {
      running: pool?.seated(this.#options.clock.monotonic()).size ?? 0,
      waiting: pool?.waiting ?? 0,
    };
  }

  /** What runs have said of a repository's storage. */
  evidence(uid: string): Evidence {
    return this.#contacts.evidence(uid);
  }

  #know(uid: string, records: readonly RunRecord[], before: readonly RunRecord[], wake: () => void): void {
    const places = placesIn(uid, records);
    for (const [id, { pool }] of placesIn(uid, before)) {
      if (pool !== places.get(id)?.pool) this.#leave(id, pool);
    }
    for (const [id, place] of places) {
      this.#pool(place.pool).know(id, place, wake);
      this.#busy(place.pool);
      this.#stir(place.pool);
    }
    const contacts = records.flatMap(({ contact }) => (contact ? [contact] : []));
    for (const pool of this.#contacts.know(uid, contacts)) this.#tell(pool);
  }

  /**
   * An owner is known: what works for it holds its seat. Of several only those that its records name are any; what
   * holds one keeps it, whatever the records say later.
   */
  #vouch(uid: string, namespace: string | undefined): void {
    this.#owners.set(uid, namespace);
    for (const { pool, slot, what } of this.#unvouched.take(uid, namespace)) {
      const named = slotId(uid, slot);
      const held = this.#held.get(what);
      const id = this.#pool(pool).knows(named) ? named : (held ?? uid);
      this.#held.set(what, id);
      this.#pool(pool).works(id, what, true);
      this.#busy(pool);
      if (held === undefined || held === id) continue;
      this.#pool(pool).works(held, what, false);
      this.#freed(pool);
    }
  }

  /** What still works for an owner that is gone keeps its seat until it is over. */
  #forget(uid: string, records: readonly RunRecord[]): void {
    this.#owners.delete(uid);
    for (const [id, { pool }] of placesIn(uid, records)) this.#leave(id, pool);
    this.#contacts.forget(uid);
  }

  #leave(id: string, pool: string): void {
    this.#queues.get(pool)?.forget(id);
    this.#freed(pool);
  }

  #works<T extends KubeObject>(change: Change<T>, kind: string, isLive: (object: T) => boolean): void {
    const what = `${kind} ${change.key}`;
    const now = change.type === "removed" || !isLive(change.object) ? undefined : slotOf(change.object);
    const before = change.type === "added" ? undefined : slotOf(change.previous);
    if (before && (before.pool !== now?.pool || before.owner !== now.owner || before.slot !== now.slot)) {
      this.#unvouched.drop(before.owner, what);
      this.#queues.get(before.pool)?.works(this.#held.get(what) ?? before.owner, what, false);
      this.#held.delete(what);
      this.#freed(before.pool);
    }
    if (!now) return;
    this.#unvouched.add(now.owner, { what, namespace: now.namespace, pool: now.pool, slot: now.slot });
    if (this.#owners.has(now.owner)) this.#vouch(now.owner, this.#owners.get(now.owner));
  }

  #agree(uid: string, terms: QueueLimits): void {
    const pool = this.#pool(uid);
    const before = pool.terms;
    pool.terms = terms;
    if (before?.maxRuns === terms.maxRuns && before.breaker === terms.breaker) return;
    // Whoever waits says why: that has changed. It happens once or twice in an outage.
    if (before && (before.breaker === "Closed") !== (terms.breaker === "Closed")) pool.callAll();
    else this.#stir(uid);
  }

  #freed(uid: string): void {
    if (this.#queues.get(uid)?.isIdle) {
      if (!this.#repositories.has(uid)) this.#queues.delete(uid);
      if (this.#atWork.delete(uid)) this.#tell(uid);
    }
    this.#stir(uid);
    if (this.#left() > 1) return;
    for (const other of this.#queues.keys()) if (other !== uid) this.#stir(other);
  }

  #busy(uid: string): void {
    if (this.#atWork.has(uid)) return;
    this.#atWork.add(uid);
    this.#tell(uid);
  }

  /** Wakes those who are next, and nobody else. */
  #stir(uid: string): void {
    const { clock } = this.#options;
    const pool = this.#queues.get(uid);
    if (!pool) return;
    const monotonic = clock.monotonic();
    const again = pool.call(pool.next(clock.now(), monotonic, this.#left()), monotonic);
    if (again === undefined || this.#timers.has(uid)) return;
    const due = () => {
      this.#timers.delete(uid);
      this.#stir(uid);
    };
    this.#timers.set(uid, clock.after(again, due));
  }

  #tell(uid: string): void {
    this.#repositories.get(uid)?.();
  }

  /** Seats that the whole cluster has left, not counting this one. */
  #left(id?: string): number {
    const monotonic = this.#options.clock.monotonic();
    let seated = 0;
    for (const pool of this.#queues.values()) if (!pool.isIdle) seated += pool.seated(monotonic, id).size;
    return (this.#options.maxRuns ?? MAX_RUNS) - seated;
  }

  #pool(uid: string): RepositoryQueue {
    const known = this.#queues.get(uid);
    if (known) return known;
    const pool = new RepositoryQueue();
    this.#queues.set(uid, pool);
    return pool;
  }
}

/** A Job that waits to be let go has its seat by its owner's word; one that was told to end may stay suspended. */
function mayRun(job: Job): boolean {
  return !isFinished(job) && !job.spec?.suspend;
}

/** The seat that a Job or pod says it holds. */
function slotOf({ metadata }: KubeObject) {
  const { namespace = "", labels = {} } = metadata;
  const { [POOL_LABEL]: pool, [OWNER_LABEL]: owner, [SEAT_LABEL]: slot } = labels;
  return pool === undefined || owner === undefined ? undefined : { pool, owner, slot, namespace };
}

/** Where an owner stands, by its seats: at each it has one place at a time. */
function placesIn(uid: string, records: readonly RunRecord[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { place, outcome } of records) {
    if (!place || outcome) continue;
    const id = slotId(uid, place.slot);
    if (!places.has(id)) places.set(id, place);
  }
  return places;
}
