import {
  ACKNOWLEDGE_DELETIONS,
  blockedSnapshots,
  DeletionGuard,
  deletesSnapshots,
  type GuardedRepository,
} from "../../../core/backup/deletion_guard.ts";
import {
  type Precious,
  preciousDeletions,
  type StoredBackup,
} from "../../../core/policy/precious_deletions.ts";
import type { PendingDeletion, RepositoryState } from "../../../core/repository/repository.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { GUARD_DEFAULTS, MOST_REMEMBERED } from "../../../kinds/autorestore/deletion_limits.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { GROUP } from "../../../kinds/autorestore/group.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import { type AutorestoreCaches, BY_CLAIM, BY_REPOSITORY, claimKeyOf } from "../caches.ts";
import { coreBackup } from "./backup_status.ts";

/** Holds deletions of ResticBackups by people, if they are many, or of the last good one of a PVC. */
export type ResticDeletionGuard = DeletionGuard<GuardedRepository, ResticBackup>;

export function deletionGuard(
  { backups, namespaces }: Pick<AutorestoreCaches, "backups" | "namespaces">,
  clock: Clock,
): ResticDeletionGuard {
  const preciousOf = (claim: string, going: ReadonlySet<string>, gone: number) =>
    preciousDeletions(
      backups.indexed(BY_CLAIM, claim).flatMap((one) => goodBackup(one, going.has(one.metadata.uid))),
      gone,
    );
  return new DeletionGuard<GuardedRepository, ResticBackup>({
    clock,
    remembered: MOST_REMEMBERED,
    backupsIn: (repository) => backups.indexed(BY_REPOSITORY, keyOf(repository)),
    deletes: (backup) => deletesSnapshots(coreBackup(backup), namespaces),
    groupOf: claimKeyOf,
    precious: (going, gone) => {
      const uids = new Set(going.map(({ metadata }) => metadata.uid));
      const claims = new Set(going.map(claimKeyOf));
      return new Map([...claims].flatMap((claim) => [...preciousOf(claim, uids, gone(claim))]));
    },
    heldMessage,
  });
}

/** A ResticRepository as the guard knows repositories. */
export function guardedRepository({ spec, status, ...object }: ResticRepository): GuardedRepository {
  const { deletions } = (status?.state ?? {}) as RepositoryState;
  return {
    ...object,
    spec: { deletionGuard: spec.deletionGuard ?? GUARD_DEFAULTS },
    ...(deletions ? { status: { deletions } } : {}),
  };
}

/** The snapshot of a ResticBackup that should be gone, and why it is not. */
export function blockedDeletions(backup: ResticBackup): readonly PendingDeletion[] {
  const { snapshotID } = backup.status ?? {};
  return blockedSnapshots(backup, snapshotID ? [snapshotID] : []);
}

function heldMessage(repository: GuardedRepository, precious: Precious | undefined): string {
  const { maxDeletions, window } = repository.spec.deletionGuard;
  const name = keyOf(repository);
  const why =
    precious === "LastOfVolume"
      ? "This is the last good ResticBackup of the PVC"
      : precious === "MostOfAll"
        ? "Most good ResticBackups of the PVC are being deleted, or were within the last day"
        : `More than ${maxDeletions} ResticBackups in ResticRepository ${name} were deleted within ${window}`;
  return `${why}, so the operator keeps the snapshot for now. To delete it, annotate ResticRepository ${name} with ${GROUP}/${ACKNOWLEDGE_DELETIONS} and the value of its status.deletions.acknowledgeToken. To keep the snapshot, annotate this ResticBackup with ${ANNOTATIONS.skipSnapshotCleanup}: "true".`;
}

/** One that is going for another reason does not keep the others. */
function goodBackup(backup: ResticBackup, going: boolean): readonly StoredBackup[] {
  const { metadata, status } = backup;
  if (status?.phase !== "Completed" || !status.snapshotID) return [];
  if (metadata.deletionTimestamp !== undefined && !going) return [];
  return [{ uid: metadata.uid, going, volumes: [claimKeyOf(backup)] }];
}
