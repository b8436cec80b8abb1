import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { isDoubted } from "../catalog/absence.ts";
import type { Frozen } from "./frozen.ts";

/**
 * The runs whose snapshots the recipe's newest Backup that has any names, and so keeps: what an attempt left behind, or a
 * Backup that goes, may be deleted before a run that refers to it has ended. `backups`: of the recipe.
 */
export function namedRuns(backups: readonly Backup[], { repository, identity }: Frozen): readonly string[] {
  const keeping = backups.filter(
    (backup) =>
      backup.metadata.deletionTimestamp === undefined &&
      backup.status?.resolved?.repository?.uniqueID === repository.uniqueID &&
      backup.status?.snapshots?.length &&
      !isDoubted(backup),
  );
  const [newest] = keeping.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1));
  const ours = (newest?.status?.snapshots ?? []).filter(
    (one) => one.identity.username === identity.username && one.identity.hostname === identity.hostname,
  );
  return [...new Set(ours.flatMap(({ runID }) => runID ?? []))];
}

function endOf({ status }: Backup): string {
  return status?.timing?.endTime ?? "";
}
