import type { RunGate } from "../../../core/work/run_policy.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { BY_SNAPSHOT, type KopiurCaches } from "../caches.ts";
import { isDoubted } from "../catalog/absence.ts";
import { shrunkCondition } from "../catalog/shrunk_condition.ts";
import { type AnyRepository, repositoryText } from "../references.ts";
import { type Wanted, wantedBy } from "../retention/needed_backups.ts";
import { isDiscovered } from "./backup_labels.ts";
import type { Frozen } from "./frozen.ts";

export interface LateView {
  readonly caches: Pick<KopiurCaches, "backups" | "restores">;
  readonly backup: Backup;
  readonly frozen: Pick<Frozen, "identity">;
  readonly repository: AnyRepository;
}

/**
 * Whether what came late may be deleted now. Where the Backup's own snapshot may be gone, the late one may be all that is
 * left; and a restore may have chosen it, as the newest that there was.
 */
export function lateGate(view: LateView): RunGate {
  const { caches, backup, repository } = view;
  if (isDoubted(backup)) {
    const message = "It is not certain that the repository holds the snapshots of this Backup.";
    return { open: false, reason: CONDITIONS.snapshotMissing, message };
  }
  const shrunk = shrunkCondition(repository);
  if (shrunk) {
    const message = `It is not certain which snapshots ${repositoryText(keyOf(repository))} holds: ${shrunk.message}`;
    return { open: false, reason: CONDITIONS.catalogShrunk, message };
  }
  for (const restore of caches.restores.values()) {
    if (!wantedBy(restore).some((wanted) => mayBeLate(wanted, view))) continue;
    const message = `Restore ${keyOf(restore)} reads a snapshot of this identity that no Backup made.`;
    return { open: false, reason: "SnapshotMayBeRead", message };
  }
  return { open: true };
}

/** It is of this identity, and no Backup that was made here stands for it. */
function mayBeLate({ backup: key, snapshotID, identity }: Wanted, { caches, frozen }: LateView): boolean {
  const named = key === undefined ? undefined : caches.backups.get(key);
  if (named && !isDiscovered(named)) return false;
  const { username, hostname } = frozen.identity;
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
