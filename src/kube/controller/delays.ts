import type { Clock } from "../../lib/clock.ts";
import { Heap, type HeapEntry } from "./heap.ts";

interface Delay<K, V> extends HeapEntry {
  readonly key: K;
  readonly value: V;
  readonly due: number;
}

/** Keys that fall due, each at most once, with a single timer for all. */
export class Delays<K, V> {
  readonly #clock: Clock;
  readonly #onDue: (key: K, value: V) => void;
  readonly #byKey = new Map<K, Delay<K, V>>();
  readonly #schedule = new Heap<Delay<K, V>>((a, b) => a.due < b.due);
  #timer: { readonly due: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock, onDue: (key: K, value: V) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Of two delays of one key the earlier counts, with its value. */
  set(key: K, ms: number, value: V): void {
    const due = this.#clock.monotonic() + ms;
    const known = this.#byKey.get(key);
    if (known && known.due <= due) return;
    if (known) this.#schedule.remove(known);
    const delay = { key, value, due, index: -1 };
    this.#byKey.set(key, delay);
    this.#schedule.push(delay);
    this.#arm();
  }

  delete(key: K): void {
    const delay = this.#byKey.get(key);
    if (delay === undefined) return;
    this.#byKey.delete(key);
    this.#schedule.remove(delay);
    this.#arm();
  }

  clear(): void {
    this.#byKey.clear();
    this.#schedule.clear();
    this.#arm();
  }

  #arm(): void {
    const due = this.#schedule.peek()?.due;
    if (this.#timer?.due === due) return;
    this.#timer?.cancel();
    this.#timer =
      due === undefined
        ? undefined
        : { due, cancel: this.#clock.after(due - this.#clock.monotonic(), () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    for (let next = this.#schedule.peek(); next; next = this.#schedule.peek()) {
      if (next.due > this.#clock.monotonic()) break;
      this.#schedule.remove(next);
      this.#byKey.delete(next.key);
      this.#onDue(next.key, next.value);
    }
    this.#arm();
  }
}
