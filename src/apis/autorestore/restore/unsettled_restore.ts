import type { RestoreState } from "../../../core/restore/restore.ts";
import { isIncomplete } from "../../../core/restore/target_incomplete.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import type { KubeObject } from "../../../kube/object.ts";

/**
 * The failed restore that has left a PVC without the data that it should have: half written, or empty where it was to be
 * filled. `restores`: all of them into a PVC of this name.
 */
export function unsettledRestore(
  restores: readonly ResticRestore[],
  claim: KubeObject,
): ResticRestore | undefined {
  const into = restores.filter((one) => wrote(one, claim));
  const last = Math.max(...into.filter(({ status }) => status?.phase === "Completed").map(endOf));
  return into.find((one) => lacksData(one) && endOf(one) > last);
}

/** A snapshot of it would be taken for the data, and push the good ones out. */
export function unsettledText(claim: string, restore: string): string {
  return `ResticRestore ${restore} failed, so PersistentVolumeClaim ${claim} lacks data that it should have. The operator makes no backup of it. Restore into it again with the annotation manual-restore; or, to back it up as it is, delete the ResticRestore.`;
}

/** One of this PVC, and not of an earlier one of its name. */
function wrote({ metadata, status }: ResticRestore, claim: KubeObject): boolean {
  const { target } = (status?.state ?? {}) as RestoreState;
  const uid = target?.pvcRef?.uid;
  if (uid !== undefined) return uid === claim.metadata.uid;
  return Date.parse(metadata.creationTimestamp) >= Date.parse(claim.metadata.creationTimestamp);
}

/** A volume that holds data of its own lacks nothing: that is why the restore into it was refused. */
function lacksData({ metadata, spec, status }: ResticRestore): boolean {
  if (status?.phase !== "Failed" || metadata.deletionTimestamp) return false;
  const { failure } = (status.state ?? {}) as RestoreState;
  return isIncomplete(status) || (spec.onlyIfEmpty && failure?.errorClass !== "TargetExists");
}

function endOf({ metadata, status }: ResticRestore): number {
  return Date.parse(status?.completionTime ?? metadata.creationTimestamp);
}
