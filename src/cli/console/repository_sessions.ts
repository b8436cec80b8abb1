import { isSilence, type SessionClient } from "../../core/work/session/session_client.ts";
import { keyOf } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import type { AnyRepository, Call, KeptSessions } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { OpenedSession } from "../session/open_session.ts";
import { sessionWith } from "../session/with_snapshot.ts";

/** A session that is in use until it is disposed of. */
export interface Lease extends Disposable {
  readonly client: SessionClient;
  /** Told of what a question came to: a session that does not answer is not asked again. */
  failed(error: unknown): void;
}

interface Kept {
  readonly key: string;
  readonly opened: Promise<OpenedSession>;
  users: number;
  usedAt: number;
  cancel: () => void;
}

/** After the last question, in milliseconds: before the mover itself gives up. */
const IDLE = 110_000;
/** For one person at a time. */
const MOST = 4;

/** The repository sessions of one person: one for each repository, kept while they look. */
export class RepositorySessions implements KeptSessions, AsyncDisposable {
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #call: (signal: AbortSignal) => Call;
  readonly #open: (call: Call, repository: AnyRepository) => Promise<OpenedSession>;
  readonly #kept = new Map<string, Kept>();
  readonly #ending = new Set<Promise<void>>();

  /** `call`: a command of the person's, which lasts as long as the signal. */
  constructor(
    clock: Clock,
    call: (signal: AbortSignal) => Call,
    open: (call: Call, repository: AnyRepository) => Promise<OpenedSession> = sessionWith,
  ) {
    this.#clock = clock;
    this.#call = call;
    this.#open = open;
  }

  get size(): number {
    return this.#kept.size;
  }

  async ask<T>(
    { signal }: Pick<Call, "signal">,
    repository: AnyRepository,
    question: (client: SessionClient) => Promise<T>,
  ): Promise<T> {
    using lease = await this.lease(repository, signal);
    try {
      return await question(lease.client);
    } catch (error) {
      lease.failed(error);
      throw error;
    }
  }

  /** Starts a session, or takes the one that is there. */
  async lease(repository: AnyRepository, signal: AbortSignal): Promise<Lease> {
    const kept = this.#kept.get(nameOf(repository)) ?? this.#begin(repository);
    kept.cancel();
    kept.users++;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      kept.users--;
      kept.usedAt = this.#clock.monotonic();
      if (kept.users === 0) kept.cancel = this.#clock.after(IDLE, () => this.#end(kept));
    };
    try {
      const { client } = await unlessAborted(kept.opened, signal);
      const failed = (error: unknown) => {
        if (isSilence(error)) this.#end(kept);
      };
      return { client, failed, [Symbol.dispose]: release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const kept of [...this.#kept.values()]) this.#end(kept);
    // What is being opened takes itself away.
    this.#stop.abort(new Error("the person has signed out"));
    await Promise.all(this.#ending);
  }

  #begin(repository: AnyRepository): Kept {
    this.#makeRoom();
    const key = nameOf(repository);
    const kept: Kept = {
      key,
      opened: this.#open(this.#call(this.#stop.signal), repository),
      users: 0,
      usedAt: this.#clock.monotonic(),
      cancel: () => {},
    };
    this.#kept.set(key, kept);
    kept.opened.catch(() => this.#end(kept));
    return kept;
  }

  #makeRoom(): void {
    if (this.#kept.size < MOST) return;
    const idle = [...this.#kept.values()].filter(({ users }) => users === 0);
    const [oldest] = idle.toSorted((a, b) => a.usedAt - b.usedAt);
    if (oldest) {
      this.#end(oldest);
      return;
    }
    throw new CommandProblem(`you look into ${MOST} repositories at once`, {
      why: "Each is held open by a mover of its own.",
      fix: "Wait for the end of a download or a search, and try again.",
      code: EXIT.refused,
    });
  }

  #end(kept: Kept): void {
    kept.cancel();
    if (this.#kept.get(kept.key) !== kept) return;
    this.#kept.delete(kept.key);
    const ending = kept.opened
      .then((session) => session[Symbol.asyncDispose]())
      .catch(() => {})
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function nameOf({ kind, metadata }: AnyRepository): string {
  return `${kind} ${keyOf(metadata)}`;
}
