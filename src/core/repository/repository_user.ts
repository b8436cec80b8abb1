import type { SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { Repository } from "./repository.ts";

const NOBODY = 65534;
const ROOT = 0;

/** The files of a repository on a volume are for the user alone whose movers made them, and who runs all of them. */
export function hasOneUser({ spec }: Pick<Repository, "spec">): boolean {
  return spec.backend.filesystem !== undefined;
}

/**
 * What is good to know of a mover that runs as another user than the one who made a repository on a volume: the files
 * are that user's, and only root can use them beside. A server that takes everyone for one user knows no difference, so
 * this refuses nothing.
 */
export function otherRepositoryUser(
  { spec }: Repository,
  mover: Partial<MoverSpec> | undefined,
): string | undefined {
  const { backend, moverDefaults } = spec;
  if (!backend.filesystem) return undefined;
  // A repository has no workload whose user could make it.
  const owner = namedUser(moverDefaults) ?? NOBODY;
  const wanted = {
    ...moverDefaults,
    ...mover,
    privilegedMode: (mover?.privilegedMode || moverDefaults?.privilegedMode) ?? false,
  };
  const user = namedUser(wanted) ?? (wanted.inheritSecurityContextFrom ? undefined : NOBODY);
  if (user === owner || user === ROOT) return undefined;
  const who = user === undefined ? "as a workload's user" : `as user ${user}`;
  return `it runs ${who}, and the repository on volume ${backend.filesystem.pvc.name} belongs to user ${owner}: where the storage tells users apart, only that one and root can use it`;
}

/** Undefined where the settings name nobody. */
function namedUser(mover: Partial<MoverSpec> | undefined): number | undefined {
  const { runAsUser } = (mover?.securityContext ?? {}) as SecurityContext;
  if (runAsUser !== undefined) return runAsUser;
  return mover?.privilegedMode ? ROOT : undefined;
}
