import type { Clock } from "../../lib/clock.ts";
import type { Entry } from "../../wire/entry.ts";
import type { FoundEntry, Page } from "../../wire/session.ts";
import { matchesGlob } from "./glob.ts";
import type { Listings } from "./listings.ts";
import { invalid, type PageQuery } from "./question.ts";

/** A page ends after this long, with what was found so far: whoever asked can go on from there. */
const BUDGET_MS = 5000;

export interface Search extends PageQuery {
  readonly snapshot: string;
  /** The folder to begin in. */
  readonly path: string;
  readonly name: string;
}

export interface SearchGround {
  readonly listings: Listings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A folder that is being walked through. */
interface Level {
  readonly path: string;
  readonly entries: readonly Entry[];
  /** The position of the entry to look at next. */
  next: number;
}

/** Walks a snapshot's folders, each before what is in it, and gives the entries whose names fit. */
export async function search(wanted: Search, ground: SearchGround): Promise<Page<FoundEntry>> {
  const { clock, signal } = ground;
  const { name, limit, snapshot } = wanted;
  const levels = await resumed(wanted, ground);
  const due = clock.monotonic() + BUDGET_MS;
  const items: FoundEntry[] = [];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (items.length === limit) return { items, next: cursorOf(levels) };
    const entry = level.entries[level.next];
    if (entry === undefined) {
      levels.pop();
      continue;
    }
    if (entry.type === "Folder" && clock.monotonic() >= due) return { items, next: cursorOf(levels) };
    level.next += 1;
    const path = level.path === "" ? entry.name : `${level.path}/${entry.name}`;
    if (matchesGlob(name, entry.name)) items.push({ ...entry, path });
    if (entry.type === "Folder") {
      const entries = await ground.listings.list(snapshot, path, signal, entry.content);
      levels.push({ path, entries, next: 0 });
    }
  }
  return { items };
}

/** How far each level was, from the top down. */
const cursorOf = (levels: readonly Level[]) => levels.map(({ next }) => next).join(".");

async function resumed({ after = "0", snapshot, path }: Search, ground: SearchGround): Promise<Level[]> {
  if (!/^\d+(\.\d+)*$/.test(after)) throw invalid("after is not what a page of this search gave");
  const levels: Level[] = [];
  for (const next of after.split(".").map(Number)) {
    const above = levels.at(-1);
    const parent = above?.entries[above.next - 1];
    if (above && parent?.type !== "Folder") throw invalid("after belongs to another search");
    const here = above ? [above.path, parent?.name].filter(Boolean).join("/") : path;
    const entries = await ground.listings.list(snapshot, here, ground.signal, parent?.content);
    levels.push({ path: here, entries, next });
  }
  return levels;
}
