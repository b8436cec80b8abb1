import type { PathElement } from "./field_set.ts";
import {
  type Fields,
  fieldIn,
  fieldsIn,
  fieldTyping,
  itemElement,
  itemsIn,
  itemTyping,
  shapeOf,
  type Typing,
} from "./typing.ts";

/** The live value with what was applied laid over it. Nothing goes away; undefined is an absent value. */
export function merge(typing: Typing, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  switch (shapeOf(typing, applied)) {
    case "leaf":
      return applied;
    case "map":
      return mergeFields(typing, fieldsIn(live), fieldsIn(applied)) ?? applied;
    case "list":
      return mergeItems(typing, itemsIn(live), itemsIn(applied)) ?? applied;
  }
}

/** Undefined when both sides are empty: then the applied value stands, be it empty or null. */
function mergeFields(typing: Typing, live: Fields, applied: Fields): Fields | undefined {
  const names = new Set([...Object.keys(live), ...Object.keys(applied)]);
  if (names.size === 0) return undefined;
  return Object.fromEntries(
    [...names].map((name) => {
      const child = fieldTyping(typing, name);
      const [left, right] = [fieldIn(live, name), fieldIn(applied, name)];
      return [name, child ? merge(child, left, right) : (right ?? left)];
    }),
  );
}

/**
 * Applied items come in the order in which they were applied. The live items beside them stay in theirs, ahead of
 * the next applied item that they preceded.
 */
function mergeItems(
  typing: Typing,
  live: readonly unknown[],
  applied: readonly unknown[],
): readonly unknown[] | undefined {
  if (live.length + applied.length === 0) return undefined;
  const liveKeys = live.map((item) => itemElement(typing, item));
  const appliedKeys = applied.map((item) => itemElement(typing, item));
  const known = new Map<PathElement, unknown>();
  // Items that cannot be told apart are not merged with: the applied one takes their place.
  for (const [at, key] of liveKeys.entries()) known.set(key, known.has(key) ? null : live[at]);
  const wanted = new Set(appliedKeys);
  const shared = appliedKeys.filter((key) => known.has(key));
  const taken = new Set<PathElement>();
  const out: unknown[] = [];
  const take = (at: number) => {
    const key = appliedKeys[at] as PathElement;
    taken.add(key);
    out.push(merge(itemTyping(typing), known.get(key), applied[at]));
    if (shared[0] === key) shared.shift();
  };
  let [l, r] = [0, 0];
  while (l < live.length || r < applied.length) {
    const [key, next] = [liveKeys[l], appliedKeys[r]];
    if (key === undefined) take(r++);
    else if (!wanted.has(key)) out.push(live[l++]);
    else if (next === undefined) l++;
    else if (key !== next && shared.length > 0 && shared[0] !== key) l++;
    else {
      if (key === next || taken.has(key)) l++;
      take(r++);
    }
  }
  return out;
}
