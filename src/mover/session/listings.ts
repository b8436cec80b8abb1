import type { Repository } from "../../engines/engine.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { Entry } from "../../wire/entry.ts";
import { collected } from "../collected.ts";

/** Entries that are kept in all: some 20 MB. */
const KEPT = 100_000;

/** What folders of snapshots hold. Snapshots never change, and so the latest listings are kept for the next page. */
export class Listings {
  readonly #repository: Repository;
  readonly #capacity: number;
  readonly #kept = new Map<string, readonly Entry[]>();
  #count = 0;

  constructor(repository: Repository, capacity = KEPT) {
    this.#repository = repository;
    this.#capacity = capacity;
  }

  /**
   * Everything in a folder, in an order that stays the same. `content`: of the folder, where that is known. What other
   * snapshots hold as well is read once.
   */
  async list(
    snapshot: string,
    path: string,
    signal: AbortSignal,
    content?: string,
  ): Promise<readonly Entry[]> {
    const key = content ?? `${snapshot}/${path}`;
    const known = this.#take(key);
    const entries = known ?? (await collected(this.#repository.browse(snapshot, path, { signal })));
    this.#keep(key, entries);
    return entries;
  }

  /** One file, folder or link. */
  async entry(snapshot: string, path: string, signal: AbortSignal): Promise<Entry> {
    const at = path.lastIndexOf("/");
    const siblings = await this.list(snapshot, path.slice(0, Math.max(at, 0)), signal);
    const entry = siblings.find(({ name }) => name === path.slice(at + 1));
    if (entry) return entry;
    throw new EngineError("PathMissing", `the snapshot ${snapshot} does not hold ${path}`);
  }

  #take(key: string): readonly Entry[] | undefined {
    const entries = this.#kept.get(key);
    if (entries) {
      this.#kept.delete(key);
      this.#count -= entries.length;
    }
    return entries;
  }

  #keep(key: string, entries: readonly Entry[]): void {
    if (entries.length > this.#capacity) return;
    // Another request may have read the same meanwhile.
    this.#take(key);
    this.#kept.set(key, entries);
    this.#count += entries.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#count <= this.#capacity) return;
      this.#take(oldest);
    }
  }
}
