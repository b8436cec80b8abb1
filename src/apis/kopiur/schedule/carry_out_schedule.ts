import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { backupScheduleResource } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { Failure } from "../../../kube/controller/failure.ts";
import { explain } from "../act.ts";
import { isCancelled } from "../backup/backup_wishes.ts";
import { deleteMarked } from "../delete_marked.ts";
import type { KopiurPorts } from "../ports.ts";
import { writeFitted } from "../write_fitted.ts";
import {
  type BackupScheduleDecision,
  decideBackupSchedule,
  type ObservedSchedule,
} from "./decide_schedule.ts";
import { makeBackup } from "./make_backup.ts";

/**
 * Carries a decision out. The Backup is made before the status says so: a crash in between leaves a slot that is found to
 * be made, and never one that nobody makes.
 */
export async function carryOutSchedule(
  ports: KopiurPorts,
  observed: ObservedSchedule,
  decision: BackupScheduleDecision,
  signal: AbortSignal,
  onMade: (backup: Backup) => void = () => {},
): Promise<Outcome> {
  const { client, events, clock } = ports;
  const { schedule: object } = observed;
  const target = { resource: backupScheduleResource, object };
  try {
    for (const backup of decision.cancel) await cancel(ports, backup, signal);
    const made = decision.fire && (await makeBackup(client, object, decision.fire, { signal }));
    if (made === "Taken" && !observed.nameTaken) {
      const taken = { ...observed, nameTaken: true };
      return carryOutSchedule(ports, taken, decideBackupSchedule(taken), signal, onMade);
    }
    if (made && made !== "Made" && made !== "Taken") onMade(made);
  } catch (error) {
    if (error instanceof Failure) await explain(ports, target, error, signal);
    throw error;
  }
  await writeFitted(client, { ...target, status: decision.status }, { signal });
  for (const note of decision.events) events.event(object, note);
  for (const backup of decision.prune) await deleteMarked(client, backup, "FailedHistoryLimit", { signal });
  const { wakeAt } = decision;
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

/** Ends a Backup as people would. One that has ended meanwhile is left alone. */
async function cancel({ client }: KopiurPorts, backup: Backup, signal: AbortSignal): Promise<void> {
  if (isCancelled(backup)) return;
  const { metadata } = backup;
  const { resourceVersion } = metadata;
  const patch = { metadata: { resourceVersion, annotations: { [ANNOTATIONS.cancel]: "true" } } };
  await client.patch(backupResource, metadata, { type: "merge", patch }, { signal });
}
