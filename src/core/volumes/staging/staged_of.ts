import type { Staged } from "./clean_up.ts";
import type { ObservedGroup, ObservedSource, StagedObjects } from "./observed_staging.ts";
import { CAPTURED_FOR, isStagedFor, ownerUid } from "./staged_marks.ts";
import type { StagingOwner } from "./staging_request.ts";

/** What of all that was seen was made for this owner: nothing else is ever changed or deleted. */
export function stagedOf(
  owner: StagingOwner,
  sources: readonly ObservedSource[],
  group?: ObservedGroup,
): Staged {
  const own = group?.snapshot && isStagedFor(group.snapshot, owner);
  return {
    sources: sources.map(({ staged }) => ownOf(staged, owner)),
    group: own ? group : undefined,
    marked: sources.flatMap(({ claim }) =>
      claim?.metadata.labels?.[CAPTURED_FOR] === ownerUid(owner) ? [claim] : [],
    ),
  };
}

function ownOf(staged: StagedObjects, owner: StagingOwner): StagedObjects {
  const { snapshot, claim } = staged;
  return {
    ...(snapshot && isStagedFor(snapshot, owner) ? { snapshot, content: staged.content } : {}),
    ...(claim && isStagedFor(claim, owner) ? { claim, volume: staged.volume } : {}),
  };
}
