import { toDelete } from "../../../core/backup/delete_task.ts";
import { ACKNOWLEDGE_DELETIONS, DeletionGuard } from "../../../core/backup/deletion_guard.ts";
import { type GoodBackup, preciousDeletions } from "../../../core/policy/precious_deletions.ts";
import { MOST_REMEMBERED } from "../../../kinds/kopiur/deletion_limits.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { groupOf, keyOf } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import { BY_RECIPE, BY_REPOSITORY, type KopiurCaches } from "../caches.ts";
import { type AnyRepository, repositoryText } from "../references.ts";
import { deletionPolicyOf, isDiscovered } from "./backup_labels.ts";
import { backupObject, configKey } from "./plan.ts";

/** Guards the deletions of Backups. */
export function deletionGuard(
  { backups, namespaces }: Pick<KopiurCaches, "backups" | "namespaces">,
  clock: Clock,
): DeletionGuard<AnyRepository, Backup> {
  const preciousOf = (key: string, going: readonly Backup[]) => {
    const uids = new Set(going.map(({ metadata }) => metadata.uid));
    const all = backups.indexed(BY_RECIPE, key).filter(({ status }) => status?.phase !== "Failed");
    return preciousDeletions(all.flatMap((one) => goodBackup(one, uids.has(one.metadata.uid))));
  };
  return new DeletionGuard<AnyRepository, Backup>({
    clock,
    remembered: MOST_REMEMBERED,
    deleting: (repository) =>
      backups
        .indexed(BY_REPOSITORY, keyOf(repository))
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
    deletes: (backup) => {
      const policy = deletionPolicyOf(backup, backup.status?.resolved?.deletionPolicy);
      if (policy !== "Delete" || isDiscovered(backup)) return false;
      const place = namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
      return (
        place?.metadata.deletionTimestamp === undefined &&
        toDelete(backupObject(backup), new Set()) !== undefined
      );
    },
    precious: (going) => new Map([...byConfig(going)].flatMap(([key, ones]) => [...preciousOf(key, ones)])),
    heldMessage: (repository, precious) => {
      const { maxDeletions, window } = repository.spec.deletionGuard;
      const why =
        precious === "LastOfVolume"
          ? "This is the last good Backup of a volume"
          : precious === "MostOfAll"
            ? "Most good Backups of the BackupConfig are being deleted"
            : `More than ${maxDeletions} Backups of ${repositoryText(keyOf(repository))} were deleted within ${window}`;
      return `${why}, so that nothing is deleted in the repository for now. If that is meant, annotate the repository with ${groupOf(repository)}/${ACKNOWLEDGE_DELETIONS} and the value of its status.deletions.acknowledgeToken. If not, set deletionPolicy: Retain on this Backup: it goes, and its snapshots stay.`;
    },
  });
}

function byConfig(going: readonly Backup[]): ReadonlyMap<string, readonly Backup[]> {
  return Map.groupBy(
    going.filter(({ spec }) => spec.configRef),
    (backup) => configKey(backup),
  );
}

/** One that stands for all that it was to hold. One that is going without this guard does not keep the others. */
function goodBackup(backup: Backup, going: boolean): readonly GoodBackup[] {
  const { metadata, status } = backup;
  const { snapshots = [] } = status ?? {};
  if (snapshots.length === 0) return [];
  if (metadata.deletionTimestamp !== undefined && !going) return [];
  return [{ uid: metadata.uid, going, volumes: snapshots.map(({ pvc }) => pvc ?? "") }];
}
