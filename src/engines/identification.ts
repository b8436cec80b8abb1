/** Which repository it is: known, being found out, or not asked for yet. */
export class Identification {
  readonly #find: () => Promise<string>;
  readonly #expected: string | undefined;
  #finding: Promise<string> | undefined;
  #known: string | undefined;

  /** It is known already. */
  static of(id: string): Identification {
    const known = new Identification(() => Promise.resolve(id), id);
    known.prove();
    return known;
  }

  /** `find` rejects when it is another than the expected one. */
  constructor(find: () => Promise<string>, expected?: string) {
    this.#find = find;
    this.#expected = expected;
  }

  /** Undefined while it is not known, and when it could not be found out. */
  get known(): string | undefined {
    return this.#known;
  }

  /** Which one it should be, where that is known. */
  get expected(): string | undefined {
    return this.#expected;
  }

  /** It is being found out, or was. */
  get sought(): boolean {
    return this.#finding !== undefined;
  }

  /** Begins to find it out, unless that has begun. Rejects when it cannot be opened, or is not the right one. */
  found(): Promise<string> {
    if (this.#known !== undefined) return Promise.resolve(this.#known);
    this.#finding ??= this.#search();
    return this.#finding;
  }

  /** Something was found in it that only the expected one can hold. */
  prove(): void {
    this.#known ??= this.#expected;
  }

  /** Waits until nothing is being looked for any more. */
  async settled(): Promise<void> {
    await this.#finding?.catch(() => {});
  }

  #search(): Promise<string> {
    const finding = this.#find();
    // Whoever needs it is told when it fails.
    finding.then(
      (id) => {
        this.#known = id;
      },
      () => {},
    );
    return finding;
  }
}
