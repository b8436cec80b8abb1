import { statfs } from "node:fs/promises";
import type { Clock } from "../../lib/clock.ts";
import { EngineError } from "../../wire/engine_error.ts";

const EVERY_MS = 1000;
/** So often in a row. */
const LOOKS = 3;
const NEXT_TO_NOTHING = 64 * 1024;

export interface SpaceWatchOptions {
  /** What is being done, as the beginning of the error's message. */
  readonly what: string;
  readonly clock: Clock;
  /** Bytes that are left for files in a folder. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/**
 * Ends work on a disk that stays full, with an EngineError as the signal's reason. kopia itself tries each write again
 * for minutes, and keeps the parts that it could write.
 */
export class SpaceWatch implements Disposable {
  readonly #controller = new AbortController();
  readonly #folder: string;
  readonly #options: Required<SpaceWatchOptions>;
  #full = 0;
  #over = false;
  #cancel = () => {};

  constructor(folder: string, options: SpaceWatchOptions) {
    this.#folder = folder;
    this.#options = { freeBytes: freeIn, ...options };
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#over = true;
    this.#cancel();
  }

  #wait(): void {
    if (this.#over) return;
    this.#cancel = this.#options.clock.after(EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { what, freeBytes } = this.#options;
    // A disk that cannot be asked is the work's own to notice.
    const free = await freeBytes(this.#folder).catch(() => Number.POSITIVE_INFINITY);
    this.#full = free < NEXT_TO_NOTHING ? this.#full + 1 : 0;
    if (this.#full < LOOKS) return this.#wait();
    this.#controller.abort(new EngineError("Full", `${what}: the storage is full`));
  }
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
