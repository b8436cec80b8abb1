import type { BreakerState } from "./breaker.ts";
import { nextSlots, type Waiter } from "./next_slots.ts";
import type { Claimant, Place } from "./place.ts";

/** How much may be done at once on a repository. */
export interface QueueLimits {
  readonly maxRuns: number;
  readonly breaker: BreakerState;
}

/** Somebody of whom an object says that it waits. */
interface Known {
  readonly place: Place;
  /** Looks at it again. */
  readonly wake: () => void;
}

/** How long one that was called may take to take its seat before the next one is called, in milliseconds. */
const COURTESY = 10_000;
/** How long a seat that was given is kept without any object that says so, in milliseconds. */
const RESERVED = 30_000;

/**
 * Who works on one repository and who waits for it, by the UIDs of their owners, and which seat of theirs it is. All of it is learned from objects;
 * what is kept beside them only bridges the moment until the caches show what was just written.
 */
export class RepositoryQueue {
  terms: QueueLimits | undefined;
  readonly #waiting = new Map<string, Known>();
  readonly #seated = new Map<string, Place>();
  /** The Jobs and pods of each owner that are not over. */
  readonly #work = new Map<string, Set<string>>();
  /** Seats that were given and do not show yet: until when, by the monotonic clock. */
  readonly #given = new Map<string, { readonly until: number; readonly claimant: Claimant }>();
  readonly #called = new Map<string, number>();

  /** What an object says of its owner's place now. */
  know(uid: string, place: Place, wake: () => void): void {
    if (place.seated) {
      this.forget(uid);
      this.#seated.set(uid, place);
    } else {
      this.#seated.delete(uid);
      this.#waiting.set(uid, { place, wake });
    }
  }

  /** The owner has no place here any more. */
  forget(uid: string): void {
    this.#waiting.delete(uid);
    this.#seated.delete(uid);
    this.#given.delete(uid);
    this.#called.delete(uid);
  }

  /** Whether an object says that it waits or works, or was just given its seat. */
  knows(uid: string): boolean {
    return this.#waiting.has(uid) || this.#seated.has(uid) || this.#given.has(uid);
  }

  /** A Job or pod of the owner is there and not over, or is not there any more. */
  works(uid: string, what: string, live: boolean): void {
    const all = this.#work.get(uid) ?? new Set();
    if (live) this.#work.set(uid, all.add(what));
    else if (all.delete(what) && all.size === 0) this.#work.delete(uid);
  }

  /** A seat was given, or what was given is taken back. */
  give(uid: string, claimant: Claimant | undefined, monotonic: number): void {
    if (claimant) this.#given.set(uid, { until: monotonic + RESERVED, claimant });
    else this.#given.delete(uid);
    this.#called.delete(uid);
  }

  /** Who has a seat, without `except`. */
  seated(monotonic: number, except?: string): ReadonlyMap<string, Partial<Claimant>> {
    const seated = new Map<string, Partial<Claimant>>();
    for (const uid of this.#work.keys()) seated.set(uid, { steady: true });
    for (const [uid, place] of this.#seated) seated.set(uid, place);
    for (const [uid, { until, claimant }] of this.#given) {
      if (until > monotonic) seated.set(uid, claimant);
      else this.#given.delete(uid);
    }
    if (except !== undefined) seated.delete(except);
    return seated;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Nobody works here or wants to. */
  get isIdle(): boolean {
    return this.#waiting.size + this.#seated.size + this.#work.size + this.#given.size === 0;
  }

  /** Who is to begin next, `asking` among those that wait. `most`: seats that the whole cluster has left. */
  next(now: number, monotonic: number, most: number, asking?: Waiter): readonly Waiter[] {
    const { maxRuns, breaker } = this.terms ?? { maxRuns: 0, breaker: "Closed" };
    const seated = [...this.seated(monotonic, asking?.id).values()];
    const seats = Math.min(maxRuns, seated.length + Math.max(0, most));
    if (seats <= seated.length) return [];
    const waiting = this.#waiters(monotonic, asking);
    if (breaker === "Closed") return nextSlots({ waiting, seated, seats, now });
    const steady = nextSlots({ waiting: waiting.filter((one) => one.steady), seated, seats, now });
    const probing = seated.some((one) => !one.steady);
    if (breaker === "Open" || probing) return steady;
    const others = waiting.filter((one) => !one.steady);
    const busy = [...seated, ...steady];
    const room = Math.min(seats, busy.length + 1);
    return [...steady, ...nextSlots({ waiting: others, seated: busy, seats: room, now })];
  }

  /** Calls those who are next. The milliseconds after which to look again, in case they do not come. */
  call(next: readonly Waiter[], monotonic: number): number | undefined {
    for (const { id } of next) {
      if (!this.#called.has(id)) this.#called.set(id, monotonic);
      this.#waiting.get(id)?.wake();
    }
    return next.length > 0 ? COURTESY : undefined;
  }

  callAll(): void {
    for (const { wake } of this.#waiting.values()) wake();
  }

  #waiters(monotonic: number, asking: Waiter | undefined): readonly Waiter[] {
    const waiting: Waiter[] = asking ? [asking] : [];
    for (const [id, { place }] of this.#waiting) {
      if (id === asking?.id || this.#given.has(id)) continue;
      const called = this.#called.get(id);
      // It does not come, for whatever reason: the others do not wait for it.
      if (called !== undefined && monotonic - called >= COURTESY) continue;
      waiting.push({ ...place, id, since: Date.parse(place.since) });
    }
    return waiting;
  }
}
