import {
  ACKNOWLEDGE_DELETIONS,
  DeletionGuard,
  deletesSnapshots,
} from "../../../core/backup/deletion_guard.ts";
import { SAFETY_TAG } from "../../../core/catalog/passed_over.ts";
import { preciousDeletions, type StoredBackup } from "../../../core/policy/precious_deletions.ts";
import { MOST_REMEMBERED } from "../../../kinds/kopiur/deletion_limits.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { groupOf, keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import { BY_RECIPE, BY_REPOSITORY, type KopiurCaches } from "../caches.ts";
import { type AnyRepository, repositoryText } from "../references.ts";
import { deletionPolicyOf, isDiscovered } from "./backup_labels.ts";
import { backupObject, configKey } from "./plan.ts";
import { type ShrunkVolumes, shrunkVolumes } from "./shrunk_volumes.ts";

/** Guards the deletions of Backups. */
export function deletionGuard(
  { backups, configs, namespaces }: Pick<KopiurCaches, "backups" | "configs" | "namespaces">,
  clock: Clock,
): DeletionGuard<AnyRepository, Backup> {
  const preciousOf = (key: ObjectKey, going: readonly Backup[], gone: number) => {
    const uids = new Set(going.map(({ metadata }) => metadata.uid));
    const all = backups.indexed(BY_RECIPE, key).filter(({ status }) => status?.phase !== "Failed");
    const config = configs.get(key);
    const shrunk: ShrunkVolumes = config ? shrunkVolumes(config, all) : new Map();
    return preciousDeletions(
      all.flatMap((one) => storedBackup(one, uids.has(one.metadata.uid), shrunk)),
      gone,
    );
  };
  return new DeletionGuard<AnyRepository, Backup>({
    clock,
    remembered: MOST_REMEMBERED,
    backupsIn: (repository) => backups.indexed(BY_REPOSITORY, keyOf(repository)),
    deletes: (backup) => {
      const policy = deletionPolicyOf(backup, backup.status?.resolved?.deletionPolicy);
      if (policy !== "Delete" || isDiscovered(backup)) return false;
      return deletesSnapshots(backupObject(backup), namespaces);
    },
    groupOf: configKey,
    precious: (going, gone) =>
      new Map([...byConfig(going)].flatMap(([key, ones]) => [...preciousOf(key, ones, gone(key))])),
    heldMessage: (repository, precious) => {
      const { maxDeletions, window } = repository.spec.deletionGuard;
      const why =
        precious === "LastOfVolume"
          ? "This is the last good Backup of a volume"
          : precious === "MostOfAll"
            ? "Most good Backups of the BackupConfig are being deleted, or were within the last day"
            : `More than ${maxDeletions} Backups of ${repositoryText(keyOf(repository))} were deleted within ${window}`;
      return `${why}, so that nothing is deleted in the repository for now. If that is meant, run ${acknowledging(repository)}, or annotate the repository with ${groupOf(repository)}/${ACKNOWLEDGE_DELETIONS} and the value of its status.deletions.acknowledgeToken. If not, set deletionPolicy: Retain on this Backup: it goes, and its snapshots stay.`;
    },
  });
}

/** The command that lets deletions go on. */
function acknowledging({ kind, metadata }: AnyRepository): string {
  const { namespace, name } = metadata;
  return `holdfast acknowledge ${kind.toLowerCase()}/${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
}

function byConfig(going: readonly Backup[]): ReadonlyMap<ObjectKey, readonly Backup[]> {
  return Map.groupBy(
    going.filter(({ spec }) => spec.configRef),
    (backup) => configKey(backup),
  );
}

/** One that is going without this guard does not keep the others. */
function storedBackup(backup: Backup, going: boolean, shrunk: ShrunkVolumes): readonly StoredBackup[] {
  const { metadata, spec, status } = backup;
  const { snapshots = [] } = status ?? {};
  if (snapshots.length === 0) return [];
  if (metadata.deletionTimestamp !== undefined && !going) return [];
  const smaller = shrunk.get(metadata.uid);
  const isDoubtful = ({ pvc = "", incomplete }: SnapshotStatus) =>
    incomplete !== undefined || spec.tags?.[SAFETY_TAG] !== undefined || smaller?.has(pvc) === true;
  const names = (some: readonly SnapshotStatus[]) => some.map(({ pvc }) => pvc ?? "");
  return [
    { uid: metadata.uid, going, volumes: names(snapshots), doubtful: names(snapshots.filter(isDoubtful)) },
  ];
}
