import type { Owner } from "../../wire/snapshot.ts";
import { moverOver } from "../repository/mover.ts";
import { canBe, namesUser } from "../repository/mover_user.ts";
import type { Repository } from "../repository/repository.ts";
import { hasOneUser } from "../repository/repository_user.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { BackupObject } from "./backup.ts";
import type { BackupPlan } from "./plan.ts";

/**
 * The one to whom all belonged that the last of these backups stored, root's aside; undefined where there were several.
 * A mover that runs as this user reads also what nobody else may.
 */
export function ownerBefore(backups: readonly BackupObject[]): Owner | undefined {
  const [last] = backups.filter(isWhole).toSorted((a, b) => endOf(b).localeCompare(endOf(a)));
  const owners = (last?.status?.snapshots ?? []).map(({ owner }) => owner);
  const [one, ...others] = owners.filter((owner) => owner?.uid !== 0);
  return others.every((other) => other?.uid === one?.uid && other?.gid === one?.gid) ? one : undefined;
}

function isWhole({ status }: BackupObject): boolean {
  return status?.phase === "Succeeded" && (status.snapshots ?? []).length > 0;
}

/** By the operator's clock, in one form for all. */
function endOf({ metadata, status }: BackupObject): string {
  return status?.timing?.endTime ?? metadata.creationTimestamp ?? "";
}

/** The plan, with the only owner of what an attempt could not read: later ones run as this user. */
export function withOwnerSeen(plan: BackupPlan, { owner }: Pick<RunRecord, "owner">): BackupPlan {
  return owner ? { ...plan, owner } : plan;
}

/** Whether the next attempt runs as this user, when it may, and as another one than the last. */
export function canRunAs(
  { settings, owner: before }: BackupPlan,
  repository: Pick<Repository, "spec">,
  owner: Owner,
): boolean {
  const isNew = owner.uid !== before?.uid || owner.gid !== before.gid;
  const mover = moverOver(repository.spec.moverDefaults, settings.mover);
  return isNew && canBe(owner) && !namesUser(mover) && !hasOneUser(repository);
}
