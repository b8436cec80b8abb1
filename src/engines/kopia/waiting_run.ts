import { unlessAborted } from "../../lib/unless_aborted.ts";

/**
 * Starts kopia at once, which takes its time to open a repository, and lets it write nothing before `may` resolves. That
 * rejects when it never may: then kopia is ended by force.
 */
export type StartRun<T> = (may: Promise<void>, signal: AbortSignal) => Promise<T>;

/** A run of kopia that was started before it is known whether it is wanted. */
export class WaitingRun<T> {
  readonly #allowed = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  readonly #done: Promise<T>;

  constructor(start: StartRun<T>, signal: AbortSignal | undefined) {
    const { signal: ending } = this.#ending;
    const either = signal ? AbortSignal.any([signal, ending]) : ending;
    const may = unlessAborted(this.#allowed.promise, either);
    this.#done = start(may, either);
    // Whoever wants it is told when it fails, and nobody need wait to be allowed any more.
    this.#done.catch(() => {});
    may.catch(() => {});
  }

  /** It is wanted. */
  allow(): void {
    this.#allowed.resolve();
  }

  /** What it made. Ends with `signal`. */
  async done(signal: AbortSignal): Promise<T> {
    const end = () => this.#ending.abort(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    try {
      return await this.#done;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** It is not wanted. Waits until kopia is gone. */
  async drop(): Promise<void> {
    this.#ending.abort(new Error("it is not wanted"));
    await this.#done.catch(() => {});
  }
}
