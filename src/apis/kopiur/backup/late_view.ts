import type { LateView } from "../../../core/backup/late_runs.ts";
import type { BackupPlan } from "../../../core/backup/plan.ts";
import { isDoubted } from "../../../core/catalog/absence.ts";
import { shrunkCondition } from "../../../core/catalog/shrunk_condition.ts";
import type { Repository } from "../../../core/repository/repository.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { BY_SNAPSHOT, type KopiurCaches } from "../caches.ts";
import { type Wanted, wantedBy } from "../retention/needed_backups.ts";
import { isDiscovered } from "./backup_labels.ts";

export interface LateRequest {
  readonly caches: Pick<KopiurCaches, "backups" | "restores">;
  readonly backup: Backup;
  readonly plan: Pick<BackupPlan, "identity">;
  readonly repository: Repository;
}

/** What may keep snapshots from being deleted that came late of a Backup. */
export function lateView(request: LateRequest): LateView {
  const { caches, backup, repository } = request;
  return {
    doubted: isDoubted(backup),
    uncertain: shrunkCondition(repository)?.message,
    reader: () =>
      [...caches.restores.values()].find((restore) =>
        wantedBy(restore).some((wanted) => mayBeLate(wanted, request)),
      ),
  };
}

/** It is of this identity, and no Backup that was made here stands for it. */
function mayBeLate({ backup: key, snapshotID, identity }: Wanted, { caches, plan }: LateRequest): boolean {
  const named = key === undefined ? undefined : caches.backups.get(key);
  if (named && !isDiscovered(named)) return false;
  const { username, hostname } = plan.identity;
  const read =
    snapshotID === undefined
      ? (named?.status?.snapshots ?? [])
      : [{ kopiaSnapshotID: snapshotID, identity: identity ?? { username, hostname } }];
  return read.some(
    ({ kopiaSnapshotID: id, identity: whose }) =>
      whose.username === username &&
      whose.hostname === hostname &&
      caches.backups.indexed(BY_SNAPSHOT, id).every(isDiscovered),
  );
}
