import type { ManagedFields } from "../../kube/object.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";

/** The stored object itself when the new one differs from it in nothing but the times of its managers. */
export function settleTimes(stored: Stored, next: Stored): Stored {
  return jsonEqual(withoutTimes(stored), withoutTimes(next)) ? stored : next;
}

function withoutTimes(object: Stored): unknown {
  const { managedFields } = object.metadata;
  const entries = managedFields?.map(({ time: _, ...entry }: ManagedFields) => entry);
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}
