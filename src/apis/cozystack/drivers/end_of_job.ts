import { RUNNING } from "../../../kinds/cozystack/finalizers.ts";
import { backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { RestoreJob } from "../../../kinds/cozystack/generated/restore_job.ts";
import { MADE_BY } from "../../../kinds/cozystack/labels.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { targetNamespaceOf } from "../core/restore_consent.ts";
import type { Abandoned, Driver, DriverIntent } from "./driver.ts";

/** Whether a namespace is being deleted. */
export type IsGoing = (namespace: string) => boolean;

const LET_GO = { type: "LetGo", finalizer: RUNNING } as const;

export interface EndPorts {
  readonly client: Pick<Client, "get">;
  readonly abandon: () => Promise<Abandoned> | undefined;
  readonly isGoing: IsGoing;
}

/**
 * What remains to be done for a BackupJob that has ended or is being deleted: what no Backup came of goes with it. What a
 * failed one began stays as long as the job does, for people to look at.
 */
export async function endOfBackupJob(
  job: BackupJob,
  { client, abandon, isGoing }: EndPorts,
  call: CallOptions,
): Promise<Abandoned> {
  const { namespace = "", name, uid, deletionTimestamp, finalizers = [] } = job.metadata;
  if (!finalizers.includes(RUNNING)) return { intents: [] };
  if (job.status?.phase === "Succeeded" || isGoing(namespace)) return { intents: [LET_GO] };
  if (!deletionTimestamp) return { intents: [] };
  // The Backup is there before the job says so, and the data is the Backup's from then on.
  const backup = await client.get(backupResource, { namespace, name }, call).catch(ignoreGone);
  const isRecorded = backup?.metadata.annotations?.[MADE_BY] === uid;
  const left = (isRecorded ? undefined : await abandon()) ?? { intents: [] };
  return left.wakeAt === undefined ? { intents: [...left.intents, LET_GO] } : left;
}

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
