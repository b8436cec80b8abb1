import type { RunRecord } from "../../../core/work/run_record.ts";
import type { EngineFailure } from "../../../wire/engine_error.ts";
import type { Owner } from "../../../wire/snapshot.ts";
import { hasOneUser } from "../rules/repository_user.ts";
import type { Frozen } from "./frozen.ts";
import { type SnapshotGround, snapshotTask } from "./snapshot_task.ts";

/** The recipe, with the only owner of what the last attempt could not read: the next one runs as this user. */
export function withOwnerSeen(
  frozen: Frozen,
  { lastFailure }: Pick<RunRecord, "lastFailure">,
  { repository }: Pick<SnapshotGround, "repository">,
): Frozen {
  const owner = lastFailure && personIn(lastFailure);
  return owner && !hasOneUser(repository) ? { ...frozen, owner } : frozen;
}

/** Whether an attempt that failed so is followed by one as another user, when nobody knew the owner before. */
export function learnsOwner(ground: SnapshotGround, failure: EngineFailure): boolean {
  const owner = personIn(failure);
  if (!owner || ground.frozen.owner || hasOneUser(ground.repository)) return false;
  return userOf(ground, owner) !== userOf(ground);
}

/** Nobody becomes root for having met a file of root's. */
function personIn({ owner }: EngineFailure): Owner | undefined {
  return owner?.uid === 0 ? undefined : owner;
}

function userOf(ground: SnapshotGround, owner?: Owner): number | undefined {
  const task = snapshotTask(owner ? { ...ground, frozen: { ...ground.frozen, owner } } : ground);
  return task.ok ? task.value.mover.securityContext?.runAsUser : undefined;
}
