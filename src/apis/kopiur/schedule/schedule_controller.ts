import { controllerPorts } from "../../../core/reconcile/engine_room.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import { reconcileSchedule, type ScheduleApi } from "../../../core/schedule/reconcile_schedule.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
} from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { clockSteps } from "../../../kube/controller/clock_steps.ts";
import { Controller, done } from "../../../kube/controller/controller.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { labelValue } from "../../../lib/names.ts";
import { BY_CONFIG, BY_SCHEDULE } from "../caches.ts";
import { deleteMarked } from "../delete_marked.ts";
import type { KopiurPorts } from "../ports.ts";
import { isOf, observedSchedule, scheduledBackup } from "./scheduled_backup.ts";

/** Creates Backups at the times that schedules give. */
export function scheduleControllers(ports: KopiurPorts): readonly Runnable[] {
  const { schedules, configs, backups } = ports.caches;
  const api = scheduleApi(ports);
  const controller = new Controller({
    ...controllerPorts(ports),
    name: "kopiur-backupschedule",
    concurrency: 16,
    reconcile: (key, signal) => {
      const seen = schedules.get(key);
      if (!seen || seen.metadata.deletionTimestamp) return Promise.resolve(done);
      return reconcileSchedule(ports, api, seen, signal);
    },
  })
    .watch(schedules)
    .watch(configs, { keys: ({ key }) => schedules.indexed(BY_CONFIG, key).map(keyOf) })
    .watch(backups, {
      when: phaseOrSpecChanged,
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

function scheduleApi({ client, caches, clock }: KopiurPorts): ScheduleApi<BackupSchedule, Backup> {
  return {
    schedules: backupScheduleResource,
    backups: backupResource,
    backupsOf: ({ metadata: { namespace, name } }) =>
      caches.backups.indexed(BY_SCHEDULE, keyOf({ namespace, name: labelValue(name) })),
    observe: (schedule, backups) => {
      const { metadata, spec } = schedule;
      const config = caches.configs.get(keyOf({ namespace: metadata.namespace, name: spec.configRef.name }));
      return observedSchedule(schedule, { config, backups, now: clock.now() });
    },
    draft: scheduledBackup,
    isOf,
    prune: (backup, call) => deleteMarked(client, backup, "FailedHistoryLimit", call),
  };
}
