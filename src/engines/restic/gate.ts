import { renameSync, writeFileSync } from "node:fs";
import { holdFifo } from "../../lib/fifo.ts";

/** An empty file at which whoever reads it waits until it is opened. */
export class Gate {
  readonly path: string;
  readonly #hold: { close(): void };
  #opened = false;

  /** `path` is a named pipe. */
  constructor(path: string) {
    this.path = path;
    this.#hold = holdFifo(path);
  }

  open(): void {
    if (this.#opened) return;
    this.#opened = true;
    // Who comes later finds a plain file: a pipe that nobody holds any more would keep him for ever.
    writeFileSync(`${this.path}-open`, "");
    renameSync(`${this.path}-open`, this.path);
    this.#hold.close();
  }
}
