import { fieldSchema } from "../../kube/schema/structural.ts";
import { isRecord } from "../../lib/json.ts";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import { withoutNulls } from "./merge_patch.ts";
import { orderItems } from "./order_items.ts";
import { PatchRefused } from "./patch_refused.ts";

type Fields = Readonly<Record<string, unknown>>;
type Schema = PatchableSchema | undefined;

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList";
const ORDER = "$setElementOrder";

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
  const orders = new Map<string, readonly unknown[]>();
  for (const [key, value] of Object.entries(changes)) {
    if (!key.startsWith(ORDER)) continue;
    const name = listName(key, ORDER);
    checkOrder(changes[name], listIn(value), mergeKey(childSchema(schema, name)));
    orders.set(name, listIn(value));
  }
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith(DELETE_FROM)) removeItems(merged, listName(key, DELETE_FROM), value);
  }
  for (const [name, value] of Object.entries(changes)) {
    if (name.startsWith(ORDER) || name.startsWith(DELETE_FROM)) continue;
    const options = { schema: childSchema(schema, name), order: orders.get(name) };
    const [kept] = value === null ? [] : mergeValue(merged.get(name), value, options);
    if (kept === undefined) merged.delete(name);
    else merged.set(name, kept);
  }
  for (const [name, order] of orders) {
    const list = merged.get(name);
    if (Object.hasOwn(changes, name) || !Array.isArray(list)) continue;
    const key = mergeKey(childSchema(schema, name));
    merged.set(name, orderItems({ items: list, wanted: order, live: list, key }));
  }
  return Object.fromEntries(merged);
}

function withoutKey(fields: Fields, key: string): Fields {
  const { [key]: _, ...rest } = fields;
  return rest;
}

function unknownDirective(directive: unknown, fields: Fields): PatchRefused {
  return new PatchRefused(500, `unknown patch type: ${directive} in map: ${JSON.stringify(fields)}`);
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

/** What the patch changes must come in the order that it asks for. */
function checkOrder(changes: unknown, order: readonly unknown[], key: string | undefined): void {
  if (changes === undefined || order.length === 0) return;
  const identity = (item: unknown) => (key === undefined ? item : keyOf(item, key));
  const wanted = order.map(identity);
  const items = listIn(changes).filter((item) => !isRecord(item) || !Object.hasOwn(item, DIRECTIVE));
  const places = items.map((item) => wanted.indexOf(identity(item)));
  if (places.every((place, i) => place > (places[i - 1] ?? -1))) return;
  const [list, given] = [JSON.stringify(changes), JSON.stringify(order)];
  throw new PatchRefused(500, `The order in patch list:\n${list}\n doesn't match ${ORDER} list:\n${given}\n`);
}

function removeItems(merged: Map<string, unknown>, name: string, items: unknown): void {
  const list = merged.get(name);
  if (Array.isArray(list) && Array.isArray(items)) {
    merged.set(
      name,
      list.filter((item) => !items.includes(item)),
    );
  }
}

function childSchema(schema: Schema, name: string): Schema {
  return fieldSchema(schema, name) as Schema;
}

interface ListOptions {
  readonly schema: Schema;
  /** What the patch says of the order of the list, beside the items that it changes. */
  readonly order: readonly unknown[] | undefined;
}

/** The new value of a field, or none when the patch only asks for its removal. */
function mergeValue(before: unknown, value: unknown, options: ListOptions): [] | [unknown] {
  const { schema } = options;
  const strategy = strategyOf(schema);
  if (isRecord(before) && isRecord(value)) {
    return [strategy === "replace" ? value : mergeFields(before, value, schema)];
  }
  if (Array.isArray(before) && Array.isArray(value)) {
    return [strategy === "merge" ? mergeItems(before, value, options) : value];
  }
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

function mergeItems(
  before: readonly unknown[],
  patch: readonly unknown[],
  { schema, order }: ListOptions,
): readonly unknown[] {
  if ([...before, ...patch].some(Array.isArray)) {
    throw new PatchRefused(422, "lists of lists are not supported");
  }
  const key = mergeKey(schema);
  if (![...before, ...patch].some(isRecord)) {
    const items = [...new Set([...before, ...patch])];
    return orderItems({ items, wanted: order ?? patch, live: before, key });
  }
  if (key === undefined) {
    throw new PatchRefused(
      500,
      `cannot merge lists without merge key for ${schema?.items?.title ?? "struct"}`,
    );
  }
  const { kept, changes } = followDirectives(before, patch, key);
  const items = [...kept];
  for (const change of changes) {
    const at = items.findIndex((item) => keyOf(item, key) === requiredKey(change, key));
    if (at < 0) items.push(change);
    else items[at] = mergeFields(items[at] as Fields, change, schema?.items);
  }
  for (const item of items) requiredKey(item as Fields, key);
  // With an order of its own, the real server sees new items in the places that removed ones have left.
  const live = order ? items.slice(0, before.length) : kept;
  return orderItems({ items, wanted: order ?? changes, live, key });
}

/** Items that say `$patch` act on the list: what is left of it, and the items to merge into that. */
function followDirectives(
  before: readonly unknown[],
  patch: readonly unknown[],
  key: string,
): { readonly kept: readonly unknown[]; readonly changes: readonly Fields[] } {
  const records = patch.filter(isRecord);
  const changes = records.filter((item) => !Object.hasOwn(item, DIRECTIVE));
  let kept = before;
  for (const item of records) {
    const directive = item[DIRECTIVE];
    if (directive === "delete") {
      const gone = requiredKey(item, key);
      kept = kept.filter((each) => keyOf(each, key) !== gone);
    } else if (directive === "merge") {
      throw new PatchRefused(500, "merging lists cannot yet be specified in the patch");
    } else if (directive !== undefined && directive !== "replace") {
      throw unknownDirective(directive, item);
    }
  }
  const replaced = records.some((item) => item[DIRECTIVE] === "replace");
  return replaced ? { kept: changes, changes: [] } : { kept, changes };
}

function keyOf(item: unknown, key: string): unknown {
  return isRecord(item) ? item[key] : undefined;
}

function requiredKey(item: Fields, key: string): unknown {
  const value = item[key];
  if (value !== undefined) return value;
  throw new PatchRefused(500, `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
}
