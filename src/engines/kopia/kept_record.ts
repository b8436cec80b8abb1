/** A record larger than this is read again for each use instead of being kept. */
const MOST_KEPT = 8 * 2 ** 20;

/** A companion's record, which a restore uses up to four times: kept after its first use when it is small. */
export class KeptRecord {
  readonly #read: () => AsyncIterable<Uint8Array>;
  #kept: readonly Uint8Array[] | undefined;

  /** `read` runs a program that prints the record, and ends it when the reader stops early. */
  constructor(read: () => AsyncIterable<Uint8Array>) {
    this.#read = read;
  }

  async *bytes(): AsyncIterable<Uint8Array> {
    if (this.#kept) return yield* this.#kept;
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of this.#read()) {
      size += part.length;
      if (size <= MOST_KEPT) parts.push(part);
      yield part;
    }
    if (size <= MOST_KEPT) this.#kept = parts;
  }
}
