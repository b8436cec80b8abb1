import { RUNNING } from "../../../kinds/cozystack/finalizers.ts";
import type { RestoreJob } from "../../../kinds/cozystack/generated/restore_job.ts";
import { targetNamespaceOf } from "../core/restore_consent.ts";
import type { Driver, DriverIntent } from "./driver.ts";

/** Whether a namespace is being deleted. */
export type IsGoing = (namespace: string) => boolean;

const LET_GO = { type: "LetGo", finalizer: RUNNING } as const;

/**
 * What remains to be done for a RestoreJob that has ended or is being deleted. What a failed one began stays until
 * somebody deletes it: without that, workloads would start on volumes that are half written.
 */
export function endOfRestoreJob(
  job: RestoreJob,
  { leftIn }: Pick<Driver, "leftIn">,
  isGoing: IsGoing,
): readonly DriverIntent[] {
  const { deletionTimestamp, finalizers = [] } = job.metadata;
  if (!finalizers.includes(RUNNING)) return [];
  if (!deletionTimestamp && job.status?.phase !== "Succeeded") return [];
  const elsewhere = targetNamespaceOf(job);
  return [...(isGoing(elsewhere) ? [] : (leftIn?.(elsewhere, job) ?? [])), LET_GO];
}
