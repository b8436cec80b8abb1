import type { ClaimRequest } from "../../../core/volumes/claim_request.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { blocked, type Problem } from "../problem.ts";

/** Why there is nothing that this Restore could write into. */
export function targetProblem({ spec }: Restore): Problem | undefined {
  if (spec.target === undefined) {
    return blocked(
      "PopulatorUnsupported",
      "A Restore without a target cannot fill claims that name it yet. Name a new claim in target.pvc.",
    );
  }
  if (spec.target.pvcRef) {
    return blocked(
      "TargetUnsupported",
      "An existing claim cannot be restored into yet. Name a new claim in target.pvc.",
    );
  }
  return undefined;
}

type Target = NonNullable<NonNullable<Restore["spec"]["target"]>["pvc"]>;

/** The claim that a Restore asks for, empty and made for it alone. */
export function claimRequest({ metadata }: Restore, target: Target): ClaimRequest {
  const { name, storageClassName, capacity, accessModes, labels, annotations } = target;
  return {
    namespace: metadata.namespace ?? "",
    name,
    storageClassName,
    capacity: String(capacity),
    accessModes,
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    madeFor: metadata.uid,
  };
}
