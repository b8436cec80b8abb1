import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { isStagedFor } from "./staged_marks.ts";
import { type RefusedStaging, refused } from "./staging_decision.ts";
import type { StagingOwner } from "./staging_request.ts";

/** An object of a staged one's name is there, and was not made for this owner: it may hold anything. */
export function foreignCopy(object: KubeObject, owner: StagingOwner): RefusedStaging | undefined {
  if (isStagedFor(object, owner)) return undefined;
  const { kind, name } = owner.reference;
  return refused(
    "structural",
    "ForeignObject",
    `${object.kind} ${keyOf(object)} is there already and was not made for ${kind} ${name}, so it is left alone and nothing can be staged. Delete or rename it.`,
  );
}
