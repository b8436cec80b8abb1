import { renameSync, writeFileSync } from "node:fs";
import { holdFifo } from "../../lib/fifo.ts";

/**
 * Two empty files that restic reads in this order: at the first it waits, and without the second, which is there only
 * once the gate was opened, it fails. So it does not come past the gate either when whoever is to open it has died.
 */
export class Gate {
  readonly #pipe: string;
  readonly #pass: string;
  readonly #hold: { close(): void };
  #decided = false;

  /** `pipe` is the path of a named pipe. */
  constructor(pipe: string) {
    this.#pipe = pipe;
    this.#pass = `${pipe}-pass`;
    this.#hold = holdFifo(pipe);
  }

  get paths(): readonly [string, string] {
    return [this.#pipe, this.#pass];
  }

  /** Whoever waits goes on. */
  open(): void {
    if (this.#decided) return;
    writeFileSync(this.#pass, "");
    this.#end();
  }

  /** Whoever waits fails. */
  refuse(): void {
    this.#end();
  }

  #end(): void {
    if (this.#decided) return;
    this.#decided = true;
    try {
      // Who comes later finds a plain file: a pipe that nobody holds any more would keep him for ever.
      writeFileSync(`${this.#pipe}-ended`, "");
      renameSync(`${this.#pipe}-ended`, this.#pipe);
    } finally {
      this.#hold.close();
    }
  }
}
