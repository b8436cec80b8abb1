import { CONDITIONS } from "../reconcile/condition_types.ts";
import { conditionOf, type ShownObject } from "./shown_object.ts";

/** Since when repositories are known to be damaged, by what tells them apart. */
export function damagedSince<T extends ShownObject>(
  repositories: readonly T[],
  key: (repository: T) => string,
): ReadonlyMap<string, number> {
  return new Map(
    repositories.flatMap((repository): readonly (readonly [string, number])[] => {
      const intact = conditionOf(repository, CONDITIONS.intact);
      return intact?.status === "False" ? [[key(repository), Date.parse(intact.lastTransitionTime)]] : [];
    }),
  );
}

/** Why nobody knows whether a snapshot of this time can be restored, whose repository is damaged since then. */
export function doubtOf(at: string, since: number | undefined): string | undefined {
  return since !== undefined && Date.parse(at) >= since ? MADE_IN_DAMAGE : undefined;
}

const MADE_IN_DAMAGE =
  "it was made after damage was found in the repository, and no check has found the repository sound since";
