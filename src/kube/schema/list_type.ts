import { isRecord } from "../../lib/json.ts";
import { listMapKey, listMapKeyFields } from "./correlate.ts";
import { duplicate, invalid, type Problem } from "./problem.ts";
import { fieldSchema, type Structural, somewhereIn } from "./structural.ts";

const hasListTypes = somewhereIn(({ "x-kubernetes-list-type": type }) => type === "set" || type === "map");

/** Items that repeat in lists that are sets, or maps by their keys. A third repeat is not reported again. */
export function checkListTypes(
  schema: Structural | undefined,
  value: unknown,
  field: string,
): readonly Problem[] {
  if (!schema || !hasListTypes(schema)) return [];
  if (Array.isArray(value)) {
    const below = value.flatMap((item, i) => checkListTypes(schema.items, item, `${field}[${i}]`));
    return [...checkList(schema, value, field), ...below];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const own = schema.properties && Object.hasOwn(schema.properties, name);
    const path = own ? (field === "" ? name : `${field}.${name}`) : `${field}[${name}]`;
    return checkListTypes(fieldSchema(schema, name), child, path);
  });
}

function checkList(schema: Structural, items: readonly unknown[], field: string): readonly Problem[] {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return repeated(items, sortedJson).map((i) => duplicate(`${field}[${i}]`, items[i]));
    case "map": {
      const stray = items.findIndex((item) => item !== null && !isRecord(item));
      if (stray >= 0) {
        return [
          invalid(`${field}[${stray}]`, items[stray], "must be an object for an array of list-type map"),
        ];
      }
      const keys = schema["x-kubernetes-list-map-keys"] ?? [];
      return repeated(items, (item) => listMapKey(keys, item)).map((i) =>
        duplicate(`${field}[${i}]`, listMapKeyFields(keys, items[i])),
      );
    }
    default:
      return [];
  }
}

/** The index of each second occurrence. */
function repeated(items: readonly unknown[], identity: (item: unknown) => string): readonly number[] {
  const seen = new Map<string, number>();
  const found: number[] = [];
  for (const [i, item] of items.entries()) {
    const id = identity(item);
    const times = (seen.get(id) ?? 0) + 1;
    seen.set(id, times);
    if (times === 2) found.push(i);
  }
  return found;
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
