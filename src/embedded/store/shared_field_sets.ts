import { LruMap } from "../../lib/lru_map.ts";
import type { Stored } from "./store.ts";

/** Different field sets that are worth remembering: a few for each kind and manager. */
const REMEMBERED = 512;

/**
 * Keeps one copy of field sets that are equal. Objects of a kind that one manager wrote own the same fields, and
 * the record of that is often larger than the object.
 */
export class SharedFieldSets {
  readonly #known = new LruMap<string, unknown>(REMEMBERED);

  /** The object, with field sets that equal an earlier one replaced by it. */
  shareIn(object: Stored): Stored {
    const { managedFields } = object.metadata;
    if (!managedFields) return object;
    const shared = managedFields.map((entry) =>
      entry.fieldsV1 === undefined ? entry : { ...entry, fieldsV1: this.#one(entry.fieldsV1) },
    );
    return { ...object, metadata: { ...object.metadata, managedFields: shared } };
  }

  #one(fields: unknown): unknown {
    const text = JSON.stringify(fields);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, fields);
    return fields;
  }
}
