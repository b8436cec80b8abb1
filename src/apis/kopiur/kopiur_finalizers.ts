import { VOLUME_FINALIZERS } from "../../core/volumes/volume_finalizers.ts";
import { SCALED_WORKLOADS, SNAPSHOT_CLEANUP } from "../../kinds/kopiur/finalizers.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Held } from "../../kube/write/release_all.ts";

/** Every finalizer that this API puts on objects: with nobody to take them off, these could not be deleted. */
export const KOPIUR_FINALIZERS: readonly Held[] = [
  { resource: backupResource, finalizer: SNAPSHOT_CLEANUP },
  { resource: restoreResource, finalizer: SCALED_WORKLOADS },
  ...VOLUME_FINALIZERS,
];
