import type { Page } from "../../wire/session.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { invalid, type PageQuery } from "./question.ts";

/**
 * A page of snapshots, newest first. The cursor names a moment and an ID, so that snapshots may come and go between
 * two pages.
 */
export function newestFirst(snapshots: readonly Snapshot[], { after, limit }: PageQuery): Page<Snapshot> {
  const from = after === undefined ? undefined : parseCursor(after);
  const rest = snapshots
    .map((snapshot) => ({ snapshot, key: keyOf(snapshot) }))
    .toSorted((a, b) => order(a.key, b.key))
    .filter(({ key }) => from === undefined || order(key, from) > 0);
  const items = rest.slice(0, limit);
  const last = items.at(-1)?.key;
  return {
    items: items.map(({ snapshot }) => snapshot),
    ...(last && rest.length > items.length ? { next: `${last.time}.${last.id}` } : {}),
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
