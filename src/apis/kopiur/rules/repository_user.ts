import type { SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import type { AnyRepository } from "../references.ts";

const NOBODY = 65534;
const ROOT = 0;

/**
 * What is good to know of a mover that runs as another user than the one who made a repository on a volume: the files
 * are that user's, and only root can use them beside. A server that takes everyone for one user knows no difference, so
 * this refuses nothing.
 */
export function otherRepositoryUser(
  { spec }: AnyRepository,
  mover: Partial<MoverSpec> | undefined,
): string | undefined {
  const { backend, moverDefaults } = spec;
  if (!backend.filesystem) return undefined;
  const owner = userOf(moverDefaults);
  const user = userOf({
    ...moverDefaults,
    ...mover,
    privilegedMode: (mover?.privilegedMode || moverDefaults?.privilegedMode) ?? false,
  });
  if (user === owner || user === ROOT) return undefined;
  const who = user === undefined ? "as a workload's user" : `as user ${user}`;
  const whose = owner === undefined ? "the user of another workload" : `user ${owner}`;
  return `it runs ${who}, and the repository on volume ${backend.filesystem.pvc.name} belongs to ${whose}: where the storage tells users apart, only that one and root can use it`;
}

/** Undefined where a workload decides. */
function userOf(mover: Partial<MoverSpec> | undefined): number | undefined {
  const { runAsUser } = (mover?.securityContext ?? {}) as SecurityContext;
  if (runAsUser !== undefined) return runAsUser;
  if (mover?.privilegedMode) return ROOT;
  return mover?.inheritSecurityContextFrom ? undefined : NOBODY;
}
