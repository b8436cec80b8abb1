import { isRecord } from "../../lib/json.ts";
import { type FieldSet, fieldElement, type PathElement } from "./field_set.ts";
import {
  type Fields,
  fieldIn,
  fieldsIn,
  fieldTyping,
  itemElement,
  itemsIn,
  itemTyping,
  kindOf,
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

/** The value without these fields and items. Null for a container that none of its content is left of. */
export function removeFields(typing: Typing, value: unknown, fields: FieldSet): unknown {
  if (kindOf(typing, value) === "scalar") return value;
  const shape = shapeOf(typing, value);
  if (shape === "map" && isRecord(value)) {
    const left = Object.entries(value).flatMap(([name, field]) =>
      keep(fieldTyping(typing, name), field, fieldElement(name), fields).map((kept) => [name, kept]),
    );
    return left.length > 0 ? Object.fromEntries(left) : null;
  }
  if (shape === "list" && Array.isArray(value)) {
    const left = value.flatMap((item) => keep(itemTyping(typing), item, itemElement(typing, item), fields));
    return left.length > 0 ? left : null;
  }
  return null;
}

/** What is left of a field or item: nothing, or its one value. */
function keep(
  typing: Typing | undefined,
  value: unknown,
  element: PathElement,
  fields: FieldSet,
): [] | [unknown] {
  const node = fields.get(element);
  if (!node) return [value];
  if (node.member) return [];
  return [typing ? removeFields(typing, value, node.below) : value];
}
