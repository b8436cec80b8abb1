import type { ManagedFields } from "../../kube/object.ts";
import { LruMap } from "../../lib/lru_map.ts";

/** Different ones that are worth remembering: a few for each kind and manager. */
const REMEMBERED = 512;

/**
 * Keeps one copy of field sets that are equal. Objects of a kind that one manager wrote own the same fields, and
 * the record of that is often larger than the object. Those written in the same second share the whole record.
 */
export class SharedFieldSets {
  readonly #sets = new LruMap<string, unknown>(REMEMBERED);
  readonly #records = new LruMap<string, readonly ManagedFields[]>(REMEMBERED);

  /** The same, or an earlier one that is equal. */
  one(managedFields: readonly ManagedFields[]): readonly ManagedFields[] {
    return remembered(this.#records, managedFields, () =>
      managedFields.map((entry) => {
        const { fieldsV1 } = entry;
        if (fieldsV1 === undefined) return entry;
        return { ...entry, fieldsV1: remembered(this.#sets, fieldsV1, () => fieldsV1) };
      }),
    );
  }
}

function remembered<T>(known: LruMap<string, T>, value: T, make: () => T): T {
  const text = JSON.stringify(value);
  const one = known.get(text) ?? make();
  known.set(text, one);
  return one;
}
