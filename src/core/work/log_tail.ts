/** What survives of a log in a status. */
const MAX_LINES = 40;
const MAX_BYTES = 4096;
const ELLIPSIS = "…";

/** The last lines of a log, bounded in number and size. */
export class LogTail {
  readonly #lines: string[] = [];
  #bytes = 0;

  get lines(): readonly string[] {
    return [...this.#lines];
  }

  add(text: string): void {
    const line = clip(text.trimEnd());
    if (line === "") return;
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line);
    while (this.#lines.length > MAX_LINES || this.#bytes > MAX_BYTES) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() ?? "");
    }
  }
}

/** The last lines of a log that was read in two parts, of which the second may begin within the first. */
export function joinTails(first: readonly string[], second: readonly string[]): readonly string[] {
  let shared = Math.min(first.length, second.length);
  while (shared > 0 && !second.slice(0, shared).every((line, i) => line === first.at(i - shared))) shared--;
  const tail = new LogTail();
  for (const line of [...first, ...second.slice(shared)]) tail.add(line);
  return tail.lines;
}

/** One line never takes more than a quarter of the room. */
function clip(line: string): string {
  const limit = MAX_BYTES / 4;
  if (Buffer.byteLength(line) <= limit) return line;
  let end = Math.min(line.length, limit);
  while (Buffer.byteLength(line.slice(0, end)) > limit - Buffer.byteLength(ELLIPSIS)) end--;
  return line.slice(0, end).toWellFormed() + ELLIPSIS;
}
