import type { KubeObject } from "../../kube/object.ts";
import type { Restore } from "./restore.ts";
import { isIncomplete } from "./target_incomplete.ts";

/**
 * The failed restore that has left an existing claim without the data that it should have: half written, or empty where
 * it was to be filled. `restores`: all of them into a claim of this name.
 */
export function unsettledRestore<T extends Restore>(
  restores: readonly T[],
  claim: KubeObject,
): T | undefined {
  const into = restores.filter((one) => wrote(one, claim));
  const last = Math.max(...into.filter(({ status }) => status?.phase === "Completed").map(endOf));
  return into.find((one) => lacksData(one) && endOf(one) > last);
}

/** One of this claim, and not of an earlier one of its name. */
function wrote({ metadata, status }: Restore, claim: KubeObject): boolean {
  const uid = status?.target?.pvcRef?.uid;
  if (uid !== undefined) return uid === claim.metadata.uid;
  return Date.parse(metadata.creationTimestamp) >= Date.parse(claim.metadata.creationTimestamp);
}

/** A volume that holds data of its own lacks nothing: that is why the restore into it was refused. */
function lacksData({ metadata, spec, status }: Restore): boolean {
  if (status?.phase !== "Failed" || metadata.deletionTimestamp) return false;
  const wantsEmpty = spec.options.existingFiles === "Refuse";
  return isIncomplete(status) || (wantsEmpty && status.failure?.errorClass !== "TargetExists");
}

function endOf({ metadata, status }: Restore): number {
  return Date.parse(status?.timing?.endTime ?? metadata.creationTimestamp);
}
