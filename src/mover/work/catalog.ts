import type { SnapshotSize } from "../../wire/report.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { CatalogWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";

/** So many sizes of older snapshots have room: enough to tell what a source was like before it shrank. */
const MOST_SIZES = 2000;

/** Statistics, and the newest snapshots that the filter lets through. */
export async function catalog(
  context: WorkContext,
  { filter = {}, until, limit = 100 }: CatalogWork,
): Promise<void> {
  const { repository, keep } = context;
  const options = watched(context, "catalog");
  let found = 0;
  let later = 0;
  const newest: Snapshot[] = [];
  const older: SnapshotSize[] = [];
  const latest = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  for await (const snapshot of repository.list(filter, options)) {
    if (Date.parse(snapshot.startedAt) > latest) {
      later += 1;
      continue;
    }
    found += 1;
    newest.push(snapshot);
    const [oldest] = newest;
    if (newest.length <= limit || !oldest) continue;
    newest.shift();
    older.push(...sizeOf(oldest));
    if (older.length > MOST_SIZES) older.shift();
  }
  const stats = await repository.stats(options);
  keep({
    catalog: {
      stats,
      found,
      ...(until === undefined ? {} : { later }),
      snapshots: newest.toReversed(),
      ...(found > newest.length ? { older } : {}),
    },
  });
}

/** What is not whole is no measure of its source. */
function sizeOf({ startedAt, bytes, files, incomplete }: Snapshot): readonly SnapshotSize[] {
  if (bytes === undefined || incomplete !== undefined) return [];
  const at = Math.floor(Date.parse(startedAt) / 1000);
  return [files === undefined ? [at, bytes] : [at, bytes, files]];
}
