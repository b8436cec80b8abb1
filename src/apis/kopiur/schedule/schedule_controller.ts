import { look } from "../../../core/volumes/staging/look.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { isConflict } from "../../../kube/api_error.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { clockSteps } from "../../../kube/controller/clock_steps.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import type { Runnable } from "../../../kube/controller/runnable.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { labelValue } from "../../../lib/names.ts";
import { BY_CONFIG, BY_SCHEDULE } from "../caches.ts";
import { hasTurned } from "../has_turned.ts";
import { controllerPorts, type KopiurPorts } from "../ports.ts";
import { carryOutSchedule } from "./carry_out_schedule.ts";
import { decideBackupSchedule, type ObservedSchedule } from "./decide_schedule.ts";

/** Creates Backups at the times that schedules give. */
export function scheduleControllers(ports: KopiurPorts): readonly Runnable[] {
  const { schedules, configs, backups } = ports.caches;
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-backupschedule",
    concurrency: 16,
    reconcile: (key, signal) => reconcile(ports, key, signal),
  })
    .watch(schedules)
    .watch(configs, { keys: ({ key }) => schedules.indexed(BY_CONFIG, key).map(keyOf) })
    .watch(backups, {
      when: hasTurned,
      keys: (change) => {
        const { metadata } = lastSeen(change);
        const name = metadata.labels?.[LABELS.backupSchedule];
        if (name === undefined) return [];
        return schedules.indexed(BY_SCHEDULE, keyOf({ namespace: metadata.namespace, name })).map(keyOf);
      },
    });
  const steps = clockSteps({
    name: "kopiur-backupschedule-clock",
    clock: ports.clock,
    onStep: () => {
      for (const schedule of schedules.values()) controller.enqueue(keyOf(schedule));
    },
  });
  return [controller, steps];
}

async function reconcile(ports: KopiurPorts, key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
  const seen = ports.caches.schedules.get(key);
  if (!seen || seen.metadata.deletionTimestamp) return done;
  let observed = observe(ports, seen);
  let decision = decideBackupSchedule(observed);
  if (decision.fire) {
    const closer = await lookCloser(ports, seen, signal);
    if (!closer) return done;
    observed = closer;
    decision = decideBackupSchedule(observed);
  }
  const made: Backup[] = [];
  try {
    return await carryOutSchedule(ports, observed, decision, signal, (backup) => made.push(backup));
  } catch (error) {
    if (made.length === 0 || !isConflict(error)) throw error;
  }
  // Somebody else has written meanwhile, who could not know of it: it is counted before it can be gone.
  const closer = await lookCloser(ports, seen, signal, made);
  return closer ? carryOutSchedule(ports, closer, decideBackupSchedule(closer), signal) : done;
}

function observe({ caches, clock }: KopiurPorts, schedule: BackupSchedule): ObservedSchedule {
  const { name, namespace } = schedule.metadata;
  return {
    schedule,
    config: caches.configs.get(keyOf({ namespace, name: schedule.spec.configRef.name })),
    backups: caches.backups.indexed(BY_SCHEDULE, keyOf({ namespace, name: labelValue(name) })),
    now: clock.now(),
  };
}

/**
 * What is true now, where caches may be behind: how far the schedule has come, and what became of the Backup that it made
 * last. Without it a slot whose Backup is gone already could be made again, or two Backups run where one may.
 */
async function lookCloser(
  ports: KopiurPorts,
  { metadata }: BackupSchedule,
  signal: AbortSignal,
  made: readonly Backup[] = [],
): Promise<ObservedSchedule | undefined> {
  const { client } = ports;
  const schedule = await look(client, backupScheduleResource, metadata, { signal });
  if (!schedule || schedule.metadata.deletionTimestamp) return undefined;
  const cached = observe(ports, schedule);
  const unseen = made.filter(({ metadata: { uid } }) =>
    cached.backups.every((backup) => backup.metadata.uid !== uid),
  );
  const observed = { ...cached, backups: [...cached.backups, ...unseen] };
  const name = schedule.status?.lastSchedule?.backupRef?.name;
  if (name === undefined || observed.backups.some((backup) => backup.metadata.name === name)) return observed;
  const last = await look(client, backupResource, { ...metadata, name }, { signal });
  return last ? { ...observed, backups: [...observed.backups, last] } : observed;
}
