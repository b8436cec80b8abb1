import { GENERATED } from "../../../kinds/plumber/words.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { isGenerated } from "../output/generated_marks.ts";

/** An object of a PVC that is gone, or asks for nothing any more. */
export interface Leftover {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export interface RemovalQuestion {
  readonly leftovers: readonly Leftover[];
  /** A PVC is being filled from the Restore. */
  readonly restoring: boolean;
  readonly grace: number;
  readonly now: number;
}

export interface RemovalDecision {
  /** These are marked with the time from which they are unused. */
  readonly mark: readonly Leftover[];
  readonly remove: readonly Leftover[];
  readonly wakeAt?: number;
}

/**
 * What becomes of generated objects without a PVC: they stay for a while, so that one that is created again finds them.
 * With them goes no snapshot.
 */
export function decideRemoval({ leftovers, restoring, grace, now }: RemovalQuestion): RemovalDecision {
  const own = leftovers.filter(({ object }) => isGenerated(object) && !object.metadata.deletionTimestamp);
  const sinceOf = ({ object }: Leftover) =>
    Date.parse(object.metadata.annotations?.[GENERATED.unusedSince] ?? "");
  const mark = own.filter((one) => !(sinceOf(one) <= now));
  if (restoring) return { mark, remove: [] };
  const marked = own.filter((one) => sinceOf(one) <= now);
  const remove = marked.filter((one) => sinceOf(one) + grace <= now);
  const waiting = marked.filter((one) => sinceOf(one) + grace > now).map((one) => sinceOf(one) + grace);
  return { mark, remove, ...(waiting.length > 0 ? { wakeAt: Math.min(...waiting) } : {}) };
}
