/** A fixed number of seats, handed out in the order of asking. */
export class Seats {
  readonly #onScarce: () => void;
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(options: {
    readonly count: number;
    /** Somebody has to wait. */
    readonly onScarce: () => void;
  }) {
    this.#free = options.count;
    this.#onScarce = options.onScarce;
  }

  /** How many wait for a seat. */
  get wanted(): number {
    return this.#queue.length;
  }

  /** Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(got), 1);
        reject(signal.reason);
      };
      const got = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(got);
      this.#onScarce();
    });
  }

  giveBack(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#free += 1;
  }
}
