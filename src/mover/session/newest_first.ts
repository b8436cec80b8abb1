import type { Page } from "../../wire/session.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { invalid, type PageQuery } from "./question.ts";

/** Snapshots in the order in which pages give them: newest first, those of one moment by ID. */
export type NewestFirst = readonly { readonly snapshot: Snapshot; readonly key: Key }[];

export function newestFirst(snapshots: readonly Snapshot[]): NewestFirst {
  return snapshots
    .map((snapshot) => ({ snapshot, key: keyOf(snapshot) }))
    .toSorted((a, b) => order(a.key, b.key));
}

/** One page. The cursor names a moment and an ID, so that snapshots may come and go between two pages. */
export function pageOfSnapshots(sorted: NewestFirst, { after, limit }: PageQuery): Page<Snapshot> {
  const from = after === undefined ? undefined : parseCursor(after);
  const found = from === undefined ? 0 : sorted.findIndex(({ key }) => order(key, from) > 0);
  const start = found < 0 ? sorted.length : found;
  const page = sorted.slice(start, start + limit);
  const last = page.at(-1)?.key;
  return {
    items: page.map(({ snapshot }) => snapshot),
    ...(last && start + limit < sorted.length ? { next: `${last.time}.${last.id}` } : {}),
  };
}

interface Key {
  readonly time: number;
  readonly id: string;
}

const keyOf = ({ startedAt, id }: Snapshot): Key => ({ time: Date.parse(startedAt) || 0, id });

function order(a: Key, b: Key): number {
  return b.time - a.time || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function parseCursor(text: string): Key {
  const [, time, id] = /^(-?\d+)\.(\w+)$/.exec(text) ?? [];
  if (time === undefined || id === undefined) throw invalid("after is not what a page of snapshots gave");
  return { time: Number(time), id };
}
