import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

export interface LogFileOptions {
  readonly path: string;
  /** In bytes. Default 10 MiB. */
  readonly limit?: number;
}

/**
 * A log in a file, beside the one before it in `<path>.1`: neither grows beyond the limit. A line that cannot be
 * written, as on a full disk, is lost; the next one that can is preceded by how many were.
 */
export class LogFile implements DestinationStream {
  readonly #path: string;
  readonly #limit: number;
  #file: { readonly descriptor: number; size: number } | undefined;
  #lost = 0;

  constructor(options: LogFileOptions) {
    this.#path = options.path;
    this.#limit = options.limit ?? 10 * 2 ** 20;
  }

  write(line: string): void {
    try {
      this.#append(Buffer.from(this.#lost > 0 ? lossLine(this.#lost) + line : line));
      this.#lost = 0;
    } catch {
      this.#lost++;
    }
  }

  #append(lines: Buffer): void {
    const file = this.#fileFor(lines.length);
    const written = writeSync(file.descriptor, lines);
    if (written < lines.length) {
      ftruncateSync(file.descriptor, fstatSync(file.descriptor).size - written);
      throw new Error("the disk has no room for the whole of it");
    }
    file.size += written;
  }

  #fileFor(more: number): { readonly descriptor: number; size: number } {
    let file = this.#file ?? this.#open();
    if (file.size > 0 && file.size + more > this.#limit) {
      this.#file = undefined;
      closeSync(file.descriptor);
      renameSync(this.#path, `${this.#path}.1`);
      file = this.#open();
    }
    return file;
  }

  #open() {
    const descriptor = openSync(this.#path, "a", 0o600);
    this.#file = { descriptor, size: fstatSync(descriptor).size };
    return this.#file;
  }
}

function lossLine(lost: number): string {
  const msg = "lines are missing here: they could not be written";
  return `${JSON.stringify({ level: "warn", lost, msg })}\n`;
}
