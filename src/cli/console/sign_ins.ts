import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Person } from "./person.ts";

/** How long a sign-in lasts, in milliseconds. */
export interface SignInLimits {
  /** Without a question. */
  readonly idle: number;
  readonly whole: number;
}

/** One browser that somebody has signed in with. */
export interface SignIn {
  readonly id: string;
  readonly csrf: string;
  readonly person: Person;
  /** Aborts when it ends. */
  readonly ended: AbortSignal;
}

interface Kept extends SignIn {
  readonly stop: AbortController;
  readonly until: number;
  usedAt: number;
  /** A sign-in at a provider that its browser has begun. */
  leadsTo?: string;
}

export interface SignInsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: SignInLimits;
}

const SWEEP = 15_000;
/** Beyond so many, the one that was used longest ago ends: of one person, and then of all. */
const MOST_OF_ONE = 10;
const MOST = 200;

/** Who is signed in: in memory alone, so that a restart ends them all. */
export class SignIns implements AsyncDisposable {
  readonly #options: SignInsOptions;
  readonly #kept = new Map<string, Kept>();
  #cancel: (() => void) | undefined;

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `expiresAt`: when what the person showed is no longer good, by the wall clock. */
  async begin(person: Person, expiresAt?: number): Promise<SignIn> {
    const { clock, random, limits } = this.#options;
    const all = [...this.#kept.values()].toSorted((a, b) => a.usedAt - b.usedAt);
    const own = all.filter((kept) => kept.person.user === person.user);
    const oldest = own.length >= MOST_OF_ONE ? own[0] : all.length >= MOST ? all[0] : undefined;
    if (oldest) await this.end(oldest.id);
    const now = clock.monotonic();
    const left = expiresAt === undefined ? limits.whole : expiresAt - clock.now();
    const stop = new AbortController();
    const kept: Kept = {
      id: random.hex(32),
      csrf: random.hex(32),
      person,
      stop,
      ended: stop.signal,
      until: now + Math.min(limits.whole, left),
      usedAt: now,
    };
    this.#kept.set(kept.id, kept);
    this.#sweepLater();
    return kept;
  }

  /** The sign-in that a cookie names, while it lasts. `attended`: a person asks, and not a page by itself. */
  find(id: string | undefined, { attended = true } = {}): SignIn | undefined {
    const kept = id === undefined ? undefined : this.#kept.get(id);
    if (!kept || this.#isOver(kept)) return undefined;
    if (attended) kept.usedAt = this.#options.clock.monotonic();
    return kept;
  }

  /** It ends when what its browser has begun there leads to another one. */
  leadsTo(id: string, state: string): void {
    const kept = this.#kept.get(id);
    if (kept) kept.leadsTo = state;
  }

  /** What was begun there has led to another sign-in. */
  async endBefore(state: string): Promise<void> {
    const before = [...this.#kept.values()].filter(({ leadsTo }) => leadsTo === state);
    await Promise.all(before.map(({ id }) => this.end(id)));
  }

  async end(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.delete(id);
    kept.stop.abort(new Error("the sign-in has ended"));
    const shared = [...this.#kept.values()].some(({ person }) => person === kept.person);
    if (!shared) await kept.person[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel?.();
    await Promise.all([...this.#kept.keys()].map((id) => this.end(id)));
  }

  #isOver({ until, usedAt }: Kept): boolean {
    const now = this.#options.clock.monotonic();
    return now >= until || now - usedAt >= this.#options.limits.idle;
  }

  #sweepLater(): void {
    this.#cancel ??= this.#options.clock.after(SWEEP, () => {
      this.#cancel = undefined;
      for (const kept of [...this.#kept.values()]) if (this.#isOver(kept)) void this.end(kept.id);
      if (this.#kept.size > 0) this.#sweepLater();
    });
  }
}
