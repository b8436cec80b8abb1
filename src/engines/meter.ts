import type { Clock } from "../lib/clock.ts";
import type { Effort } from "../lib/process_effort.ts";
import type { Progress } from "../wire/progress.ts";
import type { OperationOptions } from "./engine.ts";

/** Between two looks at a program. Most do not take long: the first come soon. */
const LOOK_MS = { first: 100, last: 800 };

/**
 * The progress of work on a repository, which may take several programs, one after the other: what each moves adds up,
 * and what they print of their own stands beside it.
 */
export class Meter {
  readonly #clock: Pick<Clock, "after">;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  #printed: Progress = {};
  #movedBytes = 0;

  constructor(clock: Pick<Clock, "after">, onProgress: ((progress: Progress) => void) | undefined) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  /** Looks at a program that runs. Returns what is to be called when it has ended. */
  follow(effort: () => Effort | undefined): () => void {
    if (this.#onProgress === undefined) return () => {};
    let seen = 0;
    let cancel = () => {};
    const look = (next: number) => {
      const bytes = Math.max(seen, effort()?.bytes ?? 0);
      this.#moved(bytes - seen);
      seen = bytes;
      cancel = this.#clock.after(next, () => look(Math.min(2 * next, LOOK_MS.last)));
    };
    look(LOOK_MS.first);
    return () => cancel();
  }

  /** A program has printed how far it is. */
  printed(progress: Progress): void {
    this.#printed = progress;
    this.#tell();
  }

  #moved(bytes: number): void {
    if (bytes === 0) return;
    this.#movedBytes += bytes;
    this.#tell();
  }

  #tell(): void {
    this.#onProgress?.({ ...this.#printed, movedBytes: this.#movedBytes });
  }
}

/** What every command of one operation on a repository is run with. */
export interface Call {
  /** What is being done, as the beginning of an error's message: "listing snapshots". */
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  readonly meter: Meter;
}

export function callFor(
  what: string,
  { signal, onProgress }: OperationOptions,
  clock: Pick<Clock, "after">,
): Call {
  return { what, signal, meter: new Meter(clock, onProgress) };
}
