import { fieldSchema } from "../../kube/schema/structural.ts";
import { isRecord } from "../../lib/json.ts";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import { kindOfItems } from "./kind_of_items.ts";
import { checkOrder, DIRECTIVE, followDirectives, ORDER, unknownDirective } from "./list_directives.ts";
import { keyOf } from "./merge_key.ts";
import { withoutNulls } from "./merge_patch.ts";
import { orderItems } from "./order_items.ts";
import { PatchRefused } from "./patch_refused.ts";

type Fields = Readonly<Record<string, unknown>>;
type Schema = PatchableSchema | undefined;

const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList";

/** A strategic merge patch laid over an object of a built-in kind: lists merge by the keys that the schema names. */
export function applyStrategicPatch(object: Fields, patch: unknown, schema: PatchableSchema): Fields {
  if (isRecord(patch)) return mergeFields(object, patch, schema);
  const type = Array.isArray(patch) ? "array" : typeof patch;
  throw new PatchRefused(400, `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
}

function mergeFields(object: Fields, patch: Fields, schema: Schema): Fields {
  const { [DIRECTIVE]: directive, [RETAIN_KEYS]: retained, ...changes } = patch;
  if (directive === "replace") return withoutKey(patch, DIRECTIVE);
  if (directive === "delete") return {};
  if (directive !== undefined) throw unknownDirective(directive, patch);

  const merged = new Map(Object.entries(retained === undefined ? object : retain(object, changes, retained)));
  const left = new Map(Object.entries(changes));
  // A list is put in order before anything is taken from it: items that go still count as neighbours.
  for (const [key, order] of Object.entries(changes)) {
    if (!key.startsWith(ORDER)) continue;
    const wanted = listIn(order);
    const name = listName(key, ORDER);
    const options = { before: merged.get(name), changes: changes[name], wanted };
    const list = mergeInOrder(options, listSchema(schema, name));
    if (list) merged.set(name, list);
    left.delete(key);
    left.delete(name);
  }
  for (const [key, items] of left) {
    if (!key.startsWith(DELETE_FROM)) continue;
    const name = listName(key, DELETE_FROM);
    const before = merged.get(name);
    if (items === null) merged.delete(name);
    else if (Array.isArray(before) && Array.isArray(items)) {
      merged.set(name, withoutItems(before, items, childSchema(schema, name)));
    }
    left.delete(key);
  }
  for (const [name, value] of left) {
    const [kept] = value === null ? [] : mergeValue(merged.get(name), value, childSchema(schema, name));
    if (kept === undefined) merged.delete(name);
    else merged.set(name, kept);
  }
  return Object.fromEntries(merged);
}

function withoutKey(fields: Fields, key: string): Fields {
  const { [key]: _, ...rest } = fields;
  return rest;
}

/** Only the named fields stay; the patch itself must not set others. */
function retain(object: Fields, changes: Fields, names: unknown): Fields {
  const set = Object.entries(changes)
    .filter(([key, value]) => value !== null && !key.startsWith(DELETE_FROM) && !key.startsWith(ORDER))
    .map(([key]) => key);
  if (!Array.isArray(names) || set.some((key) => !names.includes(key))) {
    throw new PatchRefused(400, "invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(object).filter(([key]) => names.includes(key)));
}

/** The list that a directive of the form `$directive/name` is about. */
function listName(key: string, directive: string): string {
  if (key[directive.length] === "/") return key.slice(directive.length + 1);
  const what = directive === ORDER ? "setElementOrder list" : "primitive list";
  throw new PatchRefused(400, `invalid patch format of ${what}`);
}

function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new PatchRefused(500, `expected a []interface {}, but received a ${typeof value}`);
}

/** A list that the patch orders, and may change; undefined when there is none. */
function mergeInOrder(
  options: { readonly before: unknown; readonly changes: unknown; readonly wanted: readonly unknown[] },
  schema: PatchableSchema,
): readonly unknown[] | undefined {
  const { before, changes, wanted } = options;
  const live = before === undefined ? [] : listIn(before);
  const patch = changes === undefined ? [] : listIn(changes);
  const key = mergeKey(schema);
  checkOrder(patch, wanted, key);
  if (before === undefined && changes === undefined) return undefined;
  const kind = kindOfItems(live, patch);
  if (kind === "none") throw new PatchRefused(500, "no elements in any of the given slices");
  if (kind === "object" && key === undefined) {
    throw new PatchRefused(500, "objects without a merge key cannot be ordered");
  }
  if (before === undefined) {
    return orderItems({ items: patch.flatMap(withoutDirectives), wanted, live, key });
  }
  const { items, seen } =
    changes === undefined ? { items: live, seen: live } : mergeLists(live, patch, schema);
  return orderItems({ items, wanted, live: seen, key });
}

/** Takes scalars from a list. Objects cannot be taken so: the real server merges them instead. */
function withoutItems(
  before: readonly unknown[],
  items: readonly unknown[],
  schema: Schema,
): readonly unknown[] {
  if (kindOfItems(before, items) === "object") return mergeItems(before, items, schema).items;
  return before.filter((item) => !items.includes(item));
}

function childSchema(schema: Schema, name: string): Schema {
  return fieldSchema(schema, name) as Schema;
}

function listSchema(schema: Schema, name: string): PatchableSchema {
  const found = childSchema(schema, name);
  if (found?.type === "array") return found;
  throw new PatchRefused(500, `unable to find a list for the json field "${name}"`);
}

/** The new value of a field, or none when the patch only asks for its removal. */
function mergeValue(before: unknown, value: unknown, schema: Schema): [] | [unknown] {
  if (isRecord(before) && isRecord(value)) {
    return [strategyOf(schema) === "replace" ? value : mergeFields(before, value, schema)];
  }
  if (Array.isArray(before) && Array.isArray(value)) return [mergeLists(before, value, schema).items];
  return withoutDirectives(withoutNulls(value));
}

function strategyOf(schema: Schema): string | undefined {
  const strategies = schema?.["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  return strategies.find((strategy) => strategy !== "retainKeys");
}

function mergeKey(schema: Schema): string | undefined {
  return schema?.["x-kubernetes-patch-merge-key"];
}

/** What has nothing to merge with is taken as it is; objects that are only there to remove something are not taken. */
function withoutDirectives(value: unknown): [] | [unknown] {
  if (Array.isArray(value)) return [value.flatMap(withoutDirectives)];
  if (!isRecord(value)) return [value];
  if (Object.hasOwn(value, DIRECTIVE)) return [];
  const fields = Object.entries(value).flatMap(([name, field]) =>
    withoutDirectives(field).map((kept) => [name, kept]),
  );
  return [Object.fromEntries(fields)];
}

interface MergedList {
  readonly items: readonly unknown[];
  /** What the live list looks like after the merge to who still holds it. */
  readonly seen: readonly unknown[];
}

function mergeLists(before: readonly unknown[], patch: readonly unknown[], schema: Schema): MergedList {
  return strategyOf(schema) === "merge" ? mergeItems(before, patch, schema) : { items: patch, seen: before };
}

function mergeItems(before: readonly unknown[], patch: readonly unknown[], schema: Schema): MergedList {
  const key = mergeKey(schema);
  if (kindOfItems(before, patch) !== "object") {
    const items = [...new Set([...before, ...patch])];
    return { items: orderItems({ items, wanted: patch, live: before, key }), seen: before };
  }
  if (key === undefined) {
    throw new PatchRefused(
      500,
      `cannot merge lists without merge key for ${schema?.items?.title ?? "struct"}`,
    );
  }
  const { kept, replaced, changes } = followDirectives(before, patch, key);
  if (replaced) return { items: orderItems({ items: changes, wanted: [], live: changes, key }), seen: kept };
  const items = [...kept];
  for (const change of changes) {
    const at = items.findIndex((item) => keyOf(item, key) === keyOf(change, key));
    if (at < 0) items.push(change);
    else items[at] = mergeFields(items[at] as Fields, change, schema?.items);
  }
  // The real server writes new items over the places that removed ones have left in the live list.
  const seen = items.slice(0, before.length);
  return { items: orderItems({ items, wanted: changes, live: kept, key }), seen };
}
