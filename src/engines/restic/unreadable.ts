/** Names that are told apart: there may be millions, and a name may be long. */
const TOLD_APART = 10_000;

/** The files that could not be read. Beyond a number of them, one that is named twice counts twice. */
export class Unreadable {
  readonly #names = new Set<string>();
  #others = 0;

  add(name: string): void {
    if (this.#names.size < TOLD_APART) this.#names.add(name);
    else if (!this.#names.has(name)) this.#others += 1;
  }

  /** One more, of which it is not known what it is called. */
  addUnnamed(): void {
    this.#others += 1;
  }

  get count(): number {
    return this.#names.size + this.#others;
  }

  /** The names of so many of them. */
  first(count: number): readonly string[] {
    return [...this.#names.values().take(count)];
  }
}
