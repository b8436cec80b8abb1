import {
  type HitSnapshot,
  type MissingData,
  MOST_COUNTED,
  MOST_EXAMPLES,
  MOST_HIT,
} from "../wire/missing.ts";
import type { Snapshot } from "../wire/snapshot.ts";

/** The files of a snapshot that need what is missing, as they are found: repeats come one after the other. */
export class HitFiles {
  readonly examples: string[] = [];
  #count = 0;
  #last: string | undefined;

  /** A path relative to the snapshot's root. */
  add(path: string): void {
    if (path === this.#last) return;
    this.#last = path;
    this.#count = Math.min(MOST_COUNTED, this.#count + 1);
    if (this.examples.length < MOST_EXAMPLES) this.examples.push(path === "" ? "." : path);
  }

  get count(): number {
    return this.#count;
  }
}

/** What is missing, and which of these snapshots need it. The newest are named. */
export function missingData(
  packs: number,
  hit: readonly { readonly snapshot: Snapshot; readonly files: HitFiles }[],
  unexamined = 0,
): MissingData {
  const newestFirst = hit.toSorted(
    (a, b) => Date.parse(b.snapshot.startedAt) - Date.parse(a.snapshot.startedAt),
  );
  return {
    packs,
    snapshots: hit.length,
    ...(unexamined > 0 ? { unexamined } : {}),
    hit: newestFirst.slice(0, MOST_HIT).map(({ snapshot, files }): HitSnapshot => {
      const { id, identity, startedAt, run } = snapshot;
      const { count, examples } = files;
      return { id, identity, startedAt, ...(run === undefined ? {} : { run }), files: count, examples };
    }),
  };
}
