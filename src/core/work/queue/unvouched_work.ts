/** A Job or pod that is not over, as its labels have it. */
export interface Work {
  readonly what: string;
  readonly namespace: string;
  readonly pool: string;
  /** Which of its owner's seats it holds. */
  readonly slot?: string | undefined;
}

/**
 * Work of owners that nobody knows, or not in that namespace. Labels are anybody's to write, so it holds no seat; its
 * owner may only show later, since each kind has a cache of its own.
 */
export class UnvouchedWork {
  readonly #ofOwner = new Map<string, Map<string, Work>>();

  add(owner: string, work: Work): void {
    const known = this.#ofOwner.get(owner) ?? new Map<string, Work>();
    this.#ofOwner.set(owner, known.set(work.what, work));
  }

  drop(owner: string, what: string): void {
    const known = this.#ofOwner.get(owner);
    if (known?.delete(what) && known.size === 0) this.#ofOwner.delete(owner);
  }

  /** Takes out what is in the owner's namespace; undefined: in any. */
  take(owner: string, namespace: string | undefined): readonly Work[] {
    const all = [...(this.#ofOwner.get(owner)?.values() ?? [])];
    const taken = all.filter((work) => namespace === undefined || work.namespace === namespace);
    for (const { what } of taken) this.drop(owner, what);
    return taken;
  }
}
