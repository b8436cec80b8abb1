import type { BackupObject } from "./backup.ts";
import type { BackupPlan } from "./plan.ts";

/**
 * The runs whose snapshots the newest of a plan's backups that has any names, and so keeps: what an attempt left behind,
 * or a backup that goes, may be deleted before a run that refers to it has ended. `backups`: of the plan, as far as it is
 * certain that the repository holds their snapshots.
 */
export function namedRuns(
  backups: readonly BackupObject[],
  { repository, identity }: BackupPlan,
): readonly string[] {
  const keeping = backups.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status?.plan?.repository.uniqueID === repository.uniqueID &&
      status?.snapshots?.length,
  );
  const [newest] = keeping.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
  const ours = (newest?.status?.snapshots ?? []).filter(
    (one) => one.identity.username === identity.username && one.identity.hostname === identity.hostname,
  );
  return [...new Set(ours.flatMap(({ runID }) => runID ?? []))];
}

function endOf({ status }: BackupObject): string {
  return status?.timing?.endTime ?? "";
}
