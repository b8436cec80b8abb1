import { keyOf } from "../../../kube/object.ts";
import { BY_SNAPSHOT, type KopiurCaches } from "../caches.ts";
import type { AnyRepository } from "../references.ts";
import type { BackupOf } from "./check_status.ts";

/** Tells which Backup stands for a snapshot of a repository: by the snapshot's ID, which may change, or its run. */
export function backupsIn({ backups }: Pick<KopiurCaches, "backups">, { status }: AnyRepository): BackupOf {
  return ({ id, run }) => {
    const backup = [id, ...(run === undefined ? [] : [run])]
      .flatMap((key) => backups.indexed(BY_SNAPSHOT, key))
      .find((one) => one.status?.resolved?.repository?.uniqueID === status?.uniqueID);
    return backup && keyOf(backup);
  };
}
