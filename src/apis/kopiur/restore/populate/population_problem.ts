import type { Restore } from "../../../../kinds/kopiur/generated/restore.ts";
import { blocked, type Problem, waits } from "../../problem.ts";

/** Why claims that name this Restore cannot be filled. `namespaced`: the operator looks after one namespace. */
export function populationProblem(restore: Restore | undefined, namespaced: boolean): Problem | undefined {
  if (!restore || restore.metadata.deletionTimestamp) {
    return waits(
      "RestoreNotFound",
      "The Restore does not exist. Create it, or correct the claim's dataSourceRef.",
    );
  }
  if (restore.spec.target) {
    return blocked(
      "RestoreHasTarget",
      `Restore ${restore.metadata.name} has a target of its own. Leave target out to fill the claims that name it.`,
    );
  }
  if (namespaced) {
    return blocked(
      "ClusterScopeNeeded",
      "Claims with a data source are filled by handing volumes over, which an operator that is installed for one namespace may not. Install it for the whole cluster, or restore into a new claim with target.pvc.",
    );
  }
  return undefined;
}
