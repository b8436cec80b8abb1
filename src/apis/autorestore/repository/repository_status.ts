import type { RepositoryState } from "../../../core/repository/repository.ts";
import type { ResticRepositoryStatus } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { bytesText } from "../../../lib/bytes_text.ts";
import { defined } from "../../../lib/defined.ts";

type Phase = NonNullable<ResticRepositoryStatus["phase"]>;

/** One that answered before, and does not now, has not failed: nobody knows what it holds. */
const SHOWN: Readonly<Record<NonNullable<RepositoryState["phase"]>, Phase>> = {
  Pending: "Initializing",
  Initializing: "Initializing",
  Ready: "Ready",
  Degraded: "Unknown",
  Failed: "Failed",
};

const MEANT: Readonly<Record<Phase, NonNullable<RepositoryState["phase"]>>> = {
  Initializing: "Initializing",
  Ready: "Ready",
  Unknown: "Degraded",
  Failed: "Failed",
};

/** What the engine room keeps of a repository, from its status. */
export function coreState(status: ResticRepositoryStatus): RepositoryState {
  const { phase, uniqueID, observedGeneration, conditions, work, state } = status;
  return {
    ...state,
    ...(phase ? { phase: MEANT[phase] } : {}),
    ...defined({ uniqueID, observedGeneration, conditions, work }),
  };
}

/** The status of a repository, under the names of this API. */
export function shownRepository(
  before: ResticRepositoryStatus | undefined,
  { phase = "Initializing", uniqueID, observedGeneration, conditions, work, ...state }: RepositoryState,
  url: string,
): ResticRepositoryStatus {
  const { maintenance, lastChecked } = before ?? {};
  const { held, heldSince, acknowledgeToken, pending } = state.deletions ?? {};
  const { snapshotCount, storedBytes, lastObservedAt } = state.storageStats ?? {};
  const stats = {
    ...(storedBytes === undefined ? {} : { totalSize: storedBytes, size: bytesText(storedBytes) }),
    ...defined({ snapshotCount, lastUpdated: lastObservedAt }),
  };
  const shown = SHOWN[phase];
  const ready = conditions?.find(({ type }) => type === "Ready");
  const error = shown === "Failed" || shown === "Unknown" ? ready?.message : undefined;
  return {
    phase: shown,
    // What stands before an @ may be a password.
    repository: url.replace(/\/\/[^/@]*@/, "//"),
    ...(state.storageStats ? { stats } : {}),
    ...(held || pending
      ? {
          deletions: defined({
            held: held || undefined,
            heldSince,
            acknowledgeToken,
            pending: pending || undefined,
          }),
        }
      : {}),
    ...defined({ lastChecked, error, maintenance, uniqueID, observedGeneration, conditions, work }),
    state: state as Record<string, unknown>,
  } as ResticRepositoryStatus;
}
