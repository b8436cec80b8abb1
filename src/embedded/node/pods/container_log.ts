import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import type { Clock } from "../../../lib/clock.ts";

/** A file is put aside at this size, and replaces the one that was put aside before it. */
export const MAX_LOG = 10 * 2 ** 20;
/** A line that is longer is kept in parts. */
const MAX_LINE = 16 * 1024;
const NEWLINE = 0x0a;

export interface LogRead {
  readonly timestamps: boolean;
  /** Stays until the container has ended and everything is read. */
  readonly follow: boolean;
  readonly tailLines?: number | undefined;
  /** Wall time in milliseconds: nothing older. */
  readonly since?: number | undefined;
}

interface Entry {
  readonly time: string;
  readonly text: Buffer;
  /** The rest of the line follows in the next entry. */
  readonly partial: boolean;
}

/** What a container wrote, each line with its time, in the form of the container runtimes' log files. */
export class ContainerLog {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #limit: number;
  #fd: number | undefined;
  #size = 0;
  #rest: Buffer = Buffer.alloc(0);
  /** Counts the files that were put aside. */
  #generation = 0;
  #changed = Promise.withResolvers<void>();

  constructor(path: string, clock: Clock, limit = MAX_LOG) {
    this.#path = path;
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Before the first append; what the file holds already stays. */
  open(): void {
    this.#fd = openSync(this.#path, "a");
    this.#size = fstatSync(this.#fd).size;
  }

  append(chunk: Uint8Array): void {
    const data = Buffer.concat([this.#rest, chunk]);
    const entries: Buffer[] = [];
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
      entries.push(this.#entry("F", data.subarray(start, end)));
      start = end + 1;
    }
    for (; data.length - start > MAX_LINE; start += MAX_LINE) {
      entries.push(this.#entry("P", data.subarray(start, start + MAX_LINE)));
    }
    this.#rest = data.subarray(start);
    this.#write(entries);
  }

  /** The container has ended: followers come to their end. */
  close(): void {
    if (this.#fd === undefined) return;
    if (this.#rest.length > 0) this.#write([this.#entry("P", this.#rest)]);
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#tell();
  }

  async *read(options: LogRead, signal: AbortSignal): AsyncIterable<Uint8Array> {
    let file = this.#openToRead();
    let selection = options;
    const end = aborted(signal);
    end.catch(() => {});
    try {
      while (file !== undefined) {
        const { follow } = options;
        const ended = this.#fd === undefined;
        const current = file.generation === this.#generation;
        const changed = this.#changed.promise;
        const output = render(select(file.entries(), selection), options.timestamps);
        selection = { ...options, tailLines: undefined };
        if (output.length > 0) yield output;
        if (!current) {
          file.close();
          file = this.#openToRead();
        } else if (ended || !follow) {
          return;
        } else {
          await Promise.race([changed, end]);
        }
      }
    } finally {
      file?.close();
    }
  }

  /** The last lines, within a number of bytes. */
  tail(lines: number, bytes: number): string {
    const file = this.#openToRead();
    if (file === undefined) return "";
    try {
      const last = select(file.entries(), { timestamps: false, follow: false, tailLines: lines });
      return render(last, false).subarray(-bytes).toString("utf8");
    } finally {
      file.close();
    }
  }

  #entry(tag: "F" | "P", text: Buffer): Buffer {
    const time = new Date(this.#clock.now()).toISOString().replace("Z", "000000Z");
    return Buffer.concat([Buffer.from(`${time} stdout ${tag} `), text, Buffer.of(NEWLINE)]);
  }

  #write(entries: readonly Buffer[]): void {
    if (entries.length === 0 || this.#fd === undefined) return;
    const data = Buffer.concat(entries);
    for (let at = 0; at < data.length; ) at += writeSync(this.#fd, data, at);
    this.#size += data.length;
    if (this.#size >= this.#limit) this.#putAside();
    this.#tell();
  }

  #putAside(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    renameSync(this.#path, `${this.#path}.old`);
    this.#generation += 1;
    this.open();
  }

  #tell(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  #openToRead(): LogReader | undefined {
    return existsSync(this.#path) ? new LogReader(this.#path, this.#generation) : undefined;
  }
}

/** Reads on in one file, also when it has been put aside meanwhile. */
class LogReader {
  readonly generation: number;
  readonly #fd: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string, generation: number) {
    this.generation = generation;
    this.#fd = openSync(path, "r");
  }

  /** What has been added since the last call. */
  entries(): readonly Entry[] {
    const chunks = [this.#rest];
    for (;;) {
      const chunk = Buffer.allocUnsafe(256 * 1024);
      const size = readSync(this.#fd, chunk);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
    }
    const data = Buffer.concat(chunks);
    const entries: Entry[] = [];
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
      entries.push(parseEntry(data.subarray(start, end)));
      start = end + 1;
    }
    this.#rest = data.subarray(start);
    return entries;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** `TIME stdout F TEXT` */
function parseEntry(line: Buffer): Entry {
  const time = line.toString("latin1", 0, line.indexOf(" "));
  const tag = line.indexOf(" ", time.length + 1) + 1;
  return { time, partial: line[tag] === "P".charCodeAt(0), text: line.subarray(tag + 2) };
}

function select(entries: readonly Entry[], { since, tailLines }: LogRead): readonly Entry[] {
  const recent = since === undefined ? entries : entries.filter(({ time }) => Date.parse(time) >= since);
  if (tailLines === undefined) return recent;
  let start = recent.length;
  for (let lines = 0; start > 0; start -= 1) {
    const before = recent[start - 1];
    if (before && (!before.partial || start === recent.length) && ++lines > tailLines) break;
  }
  return recent.slice(start);
}

function render(entries: readonly Entry[], timestamps: boolean): Buffer {
  const parts = entries.flatMap(({ time, text, partial }) => [
    Buffer.from(timestamps ? `${time} ` : ""),
    text,
    Buffer.from(partial ? "" : "\n"),
  ]);
  return Buffer.concat(parts);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
