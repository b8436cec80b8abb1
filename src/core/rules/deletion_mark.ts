import type { KubeObject } from "../../kube/object.ts";
import { annotationName, annotationOf, DELETION_REASON } from "../reconcile/annotations.ts";
import type { Violation } from "../reconcile/violation.ts";

/** Why somebody else may not mark an object as one that the operator deletes: its deletion would go past the guard. */
export function forgedDeletionMark(object: KubeObject, old: KubeObject | undefined): Violation | undefined {
  const marked = annotationOf(object, DELETION_REASON);
  if (marked === undefined || marked === (old && annotationOf(old, DELETION_REASON))) return undefined;
  return {
    reason: "OperatorAnnotation",
    field: "metadata.annotations",
    forbidden: true,
    what: `the annotation ${annotationName(object, DELETION_REASON)} cannot be set`,
    why: "the operator marks with it what its retention deletes",
    fix: "Leave it out",
  };
}
