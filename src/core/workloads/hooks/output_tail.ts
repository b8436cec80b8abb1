/** Keeps the end of what a command writes. */
export class OutputTail {
  #kept: Buffer = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    const last = chunk.subarray(-LONGEST);
    this.#kept = Buffer.concat([this.#kept.subarray(-(LONGEST - last.length) || LONGEST), last]);
  }

  clear(): void {
    this.#kept = Buffer.alloc(0);
  }

  get text(): string {
    return this.#kept.toString("utf8");
  }
}

const LONGEST = 1024;
