import { closeSync, constants, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { OutputPipe } from "./streamed_process.ts";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Fits into pages of memory without a rest, whatever their size: a pipe that has no room for it has none at all. */
const FILLING = Buffer.alloc(4096);

/**
 * A named pipe that is full before anybody writes to it. A program that has it for an output waits as soon as it has
 * something to say. Let go, it says that, and all that follows, as ever; refused, or when this process has died, it is
 * ended by it, as by any pipe that nobody reads.
 */
export class FullPipe implements OutputPipe {
  readonly fd: number;
  readonly output: AsyncIterable<Uint8Array>;
  readonly #reading: number;
  readonly #filled: number;
  readonly #decided = Promise.withResolvers<boolean>();
  #handedOver = false;
  #isDecided = false;

  /** `path` is that of a named pipe, which nobody else has open. It need not be there any longer. */
  constructor(path: string) {
    this.#reading = openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      this.#filled = filled(path);
      // What fills it does not wait, the program's own does.
      this.fd = openSync(path, O_WRONLY);
    } catch (error) {
      closeSync(this.#reading);
      throw error;
    }
    this.output = this.#output();
  }

  handedOver(): void {
    if (this.#handedOver) return;
    this.#handedOver = true;
    closeSync(this.fd);
  }

  /** Whoever waits goes on. */
  letGo(): void {
    this.#isDecided = true;
    this.#decided.resolve(true);
  }

  /** Whoever waits is ended, and nothing comes out. Does nothing to one that was let go. */
  refuse(): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.handedOver();
    closeSync(this.#reading);
    this.#decided.resolve(false);
  }

  async *#output(): AsyncIterable<Uint8Array> {
    if (!(await this.#decided.promise)) return;
    let filling = this.#filled;
    for await (const chunk of new Socket({ fd: this.#reading, readable: true, writable: false })) {
      // What filled it comes first.
      const said: Buffer = chunk.subarray(Math.min(filling, chunk.length));
      filling -= chunk.length - said.length;
      if (said.length > 0) yield said;
    }
  }
}

/** Fills a pipe, and returns with how many bytes. */
function filled(path: string): number {
  const fd = openSync(path, O_WRONLY | O_NONBLOCK);
  try {
    for (let bytes = 0; ; ) {
      try {
        bytes += writeSync(fd, FILLING);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return bytes;
        throw error;
      }
    }
  } finally {
    closeSync(fd);
  }
}
