import { unlessAborted } from "../../lib/unless_aborted.ts";

/** Stores a companion with a run of kopia that reads its record. Opens the repository before it reads any of it. */
export type StoreRecord = (record: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<void>;

/**
 * A companion that is being stored before it is known whether it is wanted. kopia takes its time to open a repository;
 * then it waits for the record, and writes nothing before it has it.
 */
export class WaitingCompanion {
  readonly #gate = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  readonly #stored: Promise<void>;
  #broken: unknown;

  constructor(store: StoreRecord, record: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
    const { signal: ending } = this.#ending;
    const either = signal ? AbortSignal.any([signal, ending]) : ending;
    this.#stored = store(this.#behindGate(record, either), either);
    // Whoever wants it is told when it fails, and nobody need wait at the gate any more.
    this.#stored.catch(() => {});
    this.#gate.promise.catch(() => {});
  }

  /** Lets kopia have the record, and waits until it is stored. */
  async keep(signal: AbortSignal): Promise<void> {
    const end = () => this.#ending.abort(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    this.#gate.resolve();
    try {
      await this.#stored;
    } catch (error) {
      // A record that breaks off ends kopia by force: then it knows why.
      throw this.#broken ?? error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Ends kopia by force, so that it takes no end for that of the record, and waits until it is gone. */
  async drop(): Promise<void> {
    this.#gate.reject(new Error("the companion is not wanted"));
    await this.#stored.catch(() => {});
  }

  async *#behindGate(record: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
    await unlessAborted(this.#gate.promise, signal);
    try {
      yield* record;
    } catch (error) {
      this.#broken = error;
      throw error;
    }
  }
}
