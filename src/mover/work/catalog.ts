import type { Snapshot } from "../../wire/snapshot.ts";
import type { CatalogWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";

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
  const latest = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  for await (const snapshot of repository.list(filter, options)) {
    if (Date.parse(snapshot.startedAt) > latest) {
      later += 1;
      continue;
    }
    found += 1;
    newest.push(snapshot);
    if (newest.length > limit) newest.shift();
  }
  const stats = await repository.stats(options);
  keep({
    catalog: { stats, found, ...(until === undefined ? {} : { later }), snapshots: newest.toReversed() },
  });
}
