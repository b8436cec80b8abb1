/** What waits to be sent: so much and no more. The oldest gives way, and is counted. */
export class Waiting<T> {
  readonly #most: number;
  #items: T[] = [];
  #dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#bound();
  }

  takeAll(): readonly T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** What was taken and could not be sent comes first again. */
  putBack(items: readonly T[]): void {
    this.#items.unshift(...items);
    this.#bound();
  }

  /** Taken, and never to be sent. */
  giveUp(items: readonly T[]): void {
    this.#dropped += items.length;
  }

  /** How many were dropped since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #bound(): void {
    const beyond = this.#items.length - this.#most;
    if (beyond <= 0) return;
    this.#dropped += beyond;
    this.#items.splice(0, beyond);
  }
}
