/** An entry's place in the heap, kept by the heap itself. */
export interface HeapEntry {
  /** -1 while the entry is in no heap. */
  index: number;
}

/** A binary heap that can also remove from its middle. `before` says which of two entries comes out first. */
export class Heap<E extends HeapEntry> {
  readonly #before: (a: E, b: E) => boolean;
  readonly #entries: E[] = [];

  constructor(before: (a: E, b: E) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#entries.length;
  }

  peek(): E | undefined {
    return this.#entries[0];
  }

  push(entry: E): void {
    this.#put(entry, this.#entries.length);
    this.#up(entry);
  }

  pop(): E | undefined {
    const first = this.#entries[0];
    if (first) this.remove(first);
    return first;
  }

  /** Takes the entry out; harmless when it is not in. */
  remove(entry: E): void {
    const { index } = entry;
    if (index < 0) return;
    entry.index = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, index);
    this.#up(last);
    this.#down(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.index = -1;
    this.#entries.length = 0;
  }

  #put(entry: E, index: number): void {
    entry.index = index;
    this.#entries[index] = entry;
  }

  #up(entry: E): void {
    while (entry.index > 0) {
      const at = entry.index;
      const parent = this.#entries[(at - 1) >> 1];
      if (parent === undefined || !this.#before(entry, parent)) return;
      this.#put(entry, parent.index);
      this.#put(parent, at);
    }
  }

  #down(entry: E): void {
    for (;;) {
      const at = entry.index;
      const left = this.#entries[2 * at + 1];
      const right = this.#entries[2 * at + 2];
      const child = left && right && this.#before(right, left) ? right : left;
      if (child === undefined || !this.#before(child, entry)) return;
      this.#put(entry, child.index);
      this.#put(child, at);
    }
  }
}
