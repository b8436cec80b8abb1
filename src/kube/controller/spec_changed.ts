import { jsonEqual } from "../../lib/json.ts";
import type { Change } from "../cache/cache.ts";
import type { KubeObject } from "../object.ts";

/**
 * True unless only the status changed, or the bookkeeping that comes with every write: a controller that reacted
 * to the status it writes itself would never rest. Kinds without a generation count as changed.
 */
export function specChanged(change: Change<KubeObject>): boolean {
  if (change.type !== "updated") return true;
  const before = change.previous.metadata;
  const after = change.object.metadata;
  return (
    after.generation === undefined ||
    after.generation !== before.generation ||
    after.uid !== before.uid ||
    after.deletionTimestamp !== before.deletionTimestamp ||
    !jsonEqual(after.labels, before.labels) ||
    !jsonEqual(after.annotations, before.annotations) ||
    !jsonEqual(after.finalizers, before.finalizers) ||
    !jsonEqual(after.ownerReferences, before.ownerReferences)
  );
}
