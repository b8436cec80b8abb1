import type { Repository } from "../../engines/engine.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Page } from "../../wire/session.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotFilter } from "../../wire/work.ts";
import { collected } from "../collected.ts";
import { type NewestFirst, newestFirst, pageOfSnapshots } from "./newest_first.ts";
import type { PageQuery } from "./question.ts";

/**
 * The list that pages of snapshots are cut from. A first page is asked of the engine anew; the pages after it come
 * from the same list, as each would cost as much as the whole otherwise.
 */
export class KeptSnapshots {
  readonly #repository: Repository;
  #kept: { readonly filter: SnapshotFilter; readonly snapshots: NewestFirst } | undefined;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async page(filter: SnapshotFilter, query: PageQuery, signal: AbortSignal): Promise<Page<Snapshot>> {
    const kept = query.after !== undefined && jsonEqual(this.#kept?.filter, filter) ? this.#kept : undefined;
    const snapshots =
      kept?.snapshots ?? newestFirst(await collected(this.#repository.list(filter, { signal })));
    const page = pageOfSnapshots(snapshots, query);
    this.#kept = page.next === undefined ? undefined : { filter, snapshots };
    return page;
  }
}
