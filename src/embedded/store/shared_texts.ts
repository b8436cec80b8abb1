import { LruMap } from "../../lib/lru_map.ts";

const REMEMBERED = 1024;

/**
 * Keeps one copy of texts that many objects have: what their kind is called, where they are, the second in which
 * they were made. Each request brings its own, and thousands of objects would hold on to thousands of them.
 */
export class SharedTexts {
  readonly #known = new LruMap<string, string>(REMEMBERED);

  one(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, text);
    return text;
  }
}
