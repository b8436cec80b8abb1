import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ObjectName } from "../../../kube/object.ts";

/** The PVC that a repository lies on, where it lies on one. */
export function storeOf({ metadata: { namespace }, spec }: ResticRepository): ObjectName | undefined {
  return spec.volume && { namespace, name: spec.volume.claimName };
}
