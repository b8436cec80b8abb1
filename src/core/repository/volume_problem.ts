import type { Found } from "../../kube/cache/found.ts";
import type { KubeObject } from "../../kube/object.ts";
import { blocked, type Problem, waits } from "../reconcile/problem.ts";
import type { Repository } from "./repository.ts";

/** The claim that a repository lies on; undefined where it lies elsewhere. */
export function claimOfRepository({ spec }: Pick<Repository, "spec">): string | undefined {
  return spec.backend.filesystem?.pvc.name;
}

/** Why a repository that lies on a volume cannot be used: the volume's claim is gone, or going. */
export function volumeProblem(
  { spec, status }: Pick<Repository, "spec" | "status">,
  claim: Found<KubeObject>,
): Problem | undefined {
  const name = claimOfRepository({ spec });
  if (name === undefined || claim === "unknown") return undefined;
  if (claim === "absent") {
    // Manifests are applied in any order.
    if (!status?.uniqueID)
      return waits("VolumeMissing", `PVC ${name} does not exist. Create it: the repository is to lie on it.`);
    return blocked(
      "VolumeMissing",
      `PVC ${name}, which holds the repository, does not exist: none of its backups can be read. Create the PVC again, bound to the volume that holds the repository. A new, empty volume is not used in its place.`,
    );
  }
  if (!claim.metadata.deletionTimestamp) return undefined;
  return blocked(
    "VolumeBeingDeleted",
    `PVC ${name}, which holds the repository, is being deleted, and all of its backups with it. To keep them, set persistentVolumeReclaimPolicy of its PersistentVolume to Retain now, and bind a new PVC to that volume.`,
  );
}
