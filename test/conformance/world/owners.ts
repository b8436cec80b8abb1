import type { Body } from "./api.ts";

/** Each manager and its fields. The order in the object is that of their times, which may be the same second. */
export function owners(object: Body): unknown[] {
  return (object.metadata.managedFields ?? [])
    .map(({ manager, operation, subresource, fieldsV1 }): [string, unknown] => [
      [manager, operation, subresource].filter(Boolean).join(" "),
      fieldsV1,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
