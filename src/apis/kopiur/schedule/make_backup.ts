import type { Slot } from "../../../core/policy/schedule_decision.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { isAlreadyExists, isNotFound } from "../../../kube/api_error.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { Failure, judge } from "../../../kube/controller/failure.ts";
import { isOf, scheduledBackup } from "./scheduled_backup.ts";

/**
 * Sees to it that there is a Backup of the slot. Whether it is made now or was before, by whomever, makes no difference:
 * `Made` means that it is gone already, `Taken` that an object of another making has its name.
 */
export async function makeBackup(
  client: Pick<Client, "create" | "get">,
  schedule: BackupSchedule,
  slot: Slot,
  call: CallOptions,
): Promise<Backup | "Made" | "Taken"> {
  const draft = scheduledBackup(schedule, slot);
  const { name = "", namespace } = draft.metadata;
  try {
    return await client.create(backupResource, draft, call);
  } catch (error) {
    if (!isAlreadyExists(error)) throw refusalOf(error, name);
  }
  try {
    const found = await client.get(backupResource, { namespace, name }, call);
    return isOf(found, schedule, slot.slot) ? found : "Taken";
  } catch (error) {
    // It was there, and somebody deleted it: that is no reason to make it again.
    if (isNotFound(error)) return "Made";
    throw error;
  }
}

/** What the API server refuses for good, in words for whoever wants the Backup; anything else as it is. */
export function refusalOf(error: unknown, name: string): unknown {
  const { class: kind, message } = judge(error);
  if (kind !== "structural") return error;
  return new Failure(
    "structural",
    "BackupRefused",
    `Backup ${name} could not be created: ${message}. Put right what is said there; it is tried again every few minutes.`,
    { cause: error },
  );
}
