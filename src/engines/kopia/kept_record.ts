/** A record larger than this is read again for each use instead of being kept. */
const MOST_KEPT = 8 * 2 ** 20;

/**
 * A companion's record, which a restore uses up to four times: read once, while something else is being done, and kept
 * when it is small.
 */
export class KeptRecord {
  readonly #read: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly #signal: AbortSignal;
  readonly #ending = new AbortController();
  #kept: Promise<readonly Uint8Array[] | undefined> | undefined;

  /** `read` runs a program that prints the record, and ends it when the reader stops early. */
  constructor(read: (signal: AbortSignal) => AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
    this.#read = read;
    const { signal: ending } = this.#ending;
    this.#signal = signal ? AbortSignal.any([signal, ending]) : ending;
  }

  /** Begins to read it. A failure is met again, and told, by whoever uses it. */
  begin(): void {
    this.#kept ??= this.#collect().catch(() => undefined);
  }

  async *bytes(): AsyncIterable<Uint8Array> {
    this.begin();
    yield* (await this.#kept) ?? this.#read(this.#signal);
  }

  /** Ends what is still being read, and waits until it is gone. */
  async end(): Promise<void> {
    this.#ending.abort(new Error("the record is not wanted any more"));
    await this.#kept;
  }

  async #collect(): Promise<readonly Uint8Array[] | undefined> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of this.#read(this.#signal)) {
      size += part.length;
      if (size > MOST_KEPT) return undefined;
      parts.push(part);
    }
    return parts;
  }
}
