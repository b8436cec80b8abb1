import type { Repository } from "../../engines/engine.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServedResponse } from "../../lib/https_server.ts";
import { unreachable } from "../../lib/result.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import type { Entry } from "../../wire/entry.ts";
import { type Page, SESSION_VERSION, type SessionInfo } from "../../wire/session.ts";
import { KeptSnapshots } from "./kept_snapshots.ts";
import { Listings } from "./listings.ts";
import { invalid, type PageQuery, type Question } from "./question.ts";
import { search } from "./search.ts";
import { statusOf } from "./status_codes.ts";

/** Answers questions about one repository. */
export class Answers {
  readonly #repository: Repository;
  readonly #clock: Clock;
  readonly #listings: Listings;
  readonly #snapshots: KeptSnapshots;

  constructor(repository: Repository, clock: Clock) {
    this.#repository = repository;
    this.#clock = clock;
    this.#listings = new Listings(repository);
    this.#snapshots = new KeptSnapshots(repository);
  }

  /** Rejects with an EngineError. */
  async to(question: Question, signal: AbortSignal): Promise<ServedResponse> {
    const listings = this.#listings;
    if ("repository" in question) {
      const info: SessionInfo = { version: SESSION_VERSION, repository: this.#repository.id };
      return json(200, info);
    }
    if ("snapshots" in question) {
      const { filter, ...query } = question.snapshots;
      return json(200, await this.#snapshots.page(filter, query, signal));
    }
    if ("entries" in question) {
      const { snapshot, path } = question.entries;
      return json(200, pageOf(await listings.list(snapshot, path, signal), question.entries));
    }
    if ("entry" in question) {
      const { snapshot, path } = question.entry;
      if (path === "") throw invalid("path must name something below the snapshot's root");
      return json(200, await listings.entry(snapshot, path, signal));
    }
    if ("search" in question)
      return json(200, await search(question.search, { listings, clock: this.#clock, signal }));
    if ("file" in question) return this.#file(question.file, signal);
    return unreachable(question);
  }

  async #file(file: { readonly snapshot: string; readonly path: string }, signal: AbortSignal) {
    if (file.path === "") throw invalid("path must name a file");
    const content = this.#repository.read(file.snapshot, file.path, { signal })[Symbol.asyncIterator]();
    // What is wrong with the file shows before its first byte, while there is still a status to say it with.
    const first = await content.next();
    const headers = { "content-type": "application/octet-stream" };
    return { status: 200, headers, body: first.done ? "" : joined(first.value, content) };
  }
}

/** An answer in JSON. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): ServedResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

export function refusal(failure: EngineFailure): ServedResponse {
  return json(statusOf(failure.class), failure);
}

/** Folders of snapshots never change: the cursor is a position. */
function pageOf(entries: readonly Entry[], { after = "0", limit }: PageQuery): Page<Entry> {
  if (!/^\d{1,15}$/.test(after)) throw invalid("after is not what a page of entries gave");
  const end = Number(after) + limit;
  return {
    items: entries.slice(Number(after), end),
    ...(end < entries.length ? { next: String(end) } : {}),
  };
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
