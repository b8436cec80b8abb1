/** What one side tells and another reads at its own pace. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  readonly #most: number;
  #wake = () => {};
  #ended = false;

  /** `most`: so many may wait to be read. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** False when nobody reads fast enough: it was not taken. */
  push(event: T): boolean {
    if (this.#ended || this.#waiting.length >= this.#most) return false;
    this.#waiting.push(event);
    this.#wake();
    return true;
  }

  /** In place of the last one, where that has not been read and is of the same sort. */
  replace(event: T, isSame: (last: T) => boolean): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined && isSame(last)) this.#waiting.pop();
    this.push(event);
  }

  /** The last one is taken, however many wait. */
  end(last?: T): void {
    if (last !== undefined && !this.#ended) this.#waiting.push(last);
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
      } else if (this.#ended) {
        return;
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }
}
