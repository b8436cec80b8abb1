/** Which repository it is: known, or being found out. */
export class Identification {
  readonly #finding: Promise<string>;
  #known: string | undefined;

  constructor(finding: Promise<string>) {
    this.#finding = finding;
    // Whoever needs it is told when it fails.
    finding.then(
      (id) => {
        this.#known = id;
      },
      () => {},
    );
  }

  /** Undefined while it is being found out, and when that failed. */
  get known(): string | undefined {
    return this.#known;
  }

  /** Rejects when the repository cannot be opened, or is not the right one. */
  found(): Promise<string> {
    return this.#finding;
  }

  /** Waits until nothing is being looked for any more. */
  async settled(): Promise<void> {
    await this.#finding.catch(() => {});
  }
}
