import type { Stored } from "./store.ts";

/** The objects of one resource by `namespace/name`, in the order of these keys' bytes, as the API lists them. */
export class SortedObjects {
  readonly #keys: string[] = [];
  readonly #objects: Stored[] = [];

  get(namespace: string, name: string): Stored | undefined {
    const key = `${namespace}/${name}`;
    const index = this.#find(key);
    return this.#keys[index] === key ? this.#objects[index] : undefined;
  }

  /** A copy: later changes do not show in it. */
  list(namespace?: string): readonly Stored[] {
    if (namespace === undefined) return this.#objects.slice();
    // "0" is the character that follows "/".
    return this.#objects.slice(this.#find(`${namespace}/`), this.#find(`${namespace}0`));
  }

  set(namespace: string, name: string, object: Stored): void {
    const key = `${namespace}/${name}`;
    const index = this.#find(key);
    if (this.#keys[index] === key) {
      this.#objects[index] = object;
    } else {
      this.#keys.splice(index, 0, key);
      this.#objects.splice(index, 0, object);
    }
  }

  delete(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const index = this.#find(key);
    if (this.#keys[index] !== key) return;
    this.#keys.splice(index, 1);
    this.#objects.splice(index, 1);
  }

  /** The index of the key, or where it would be put. */
  #find(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
