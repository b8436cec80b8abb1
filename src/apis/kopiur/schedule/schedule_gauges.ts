import { type DueRun, dueRun } from "../../../core/schedule/due_run.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { GaugeOptions } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

type Caches = Pick<KopiurCaches, "configs" | "schedules">;

/** What schedules have done, told at a scrape: their own count, which outlives the operator. */
export function scheduleGauges({ schedules }: Pick<KopiurCaches, "schedules">): readonly GaugeOptions[] {
  return [
    {
      name: "kopiur_schedule_backups_created_total",
      help: "Backups that the BackupSchedule has created",
      labels: ["namespace", "name"],
      counts: true,
      read: () =>
        Array.from(schedules.values(), ({ metadata: { namespace = "", name }, status }) => ({
          labels: { namespace, name },
          value: status?.backupsCreated ?? 0,
        })),
    },
  ];
}

/** Until when BackupConfigs have to succeed again by their schedules, told at a scrape. */
export function dueGauges(caches: Caches): readonly GaugeOptions[] {
  const gauge = (name: string, help: string, milliseconds: (due: DueRun) => number): GaugeOptions => ({
    name,
    help,
    labels: ["namespace", "name"],
    read: () =>
      Array.from(dueByConfig(caches).values(), ({ labels, due }) => ({
        labels,
        value: milliseconds(due) / 1000,
      })),
  });
  return [
    gauge(
      "kopiur_backup_due_timestamp_seconds",
      "When the first scheduled run is due, or was, since the newest success of the BackupConfig",
      ({ at }) => at,
    ),
    gauge(
      "kopiur_backup_interval_seconds",
      "How long after that run the next one of the BackupConfig is due",
      ({ interval }) => interval,
    ),
  ];
}

interface Due {
  readonly labels: { readonly namespace: string; readonly name: string };
  readonly due: DueRun;
}

/** Of several schedules the run that is due first counts, and the shortest interval. */
function dueByConfig({ configs, schedules }: Caches): ReadonlyMap<ObjectKey, Due> {
  const found = new Map<ObjectKey, Due>();
  for (const schedule of schedules.values()) {
    const { namespace = "" } = schedule.metadata;
    const { name } = schedule.spec.configRef;
    const key = keyOf({ namespace, name });
    const due = remembered(schedule, configs.get(key));
    if (due) found.set(key, { labels: { namespace, name }, due: sooner(due, found.get(key)?.due) });
  }
  return found;
}

interface Remembered {
  readonly config: BackupConfig | undefined;
  readonly due?: DueRun;
}

/** To understand a schedule costs more than all the rest of a scrape, and what is due seldom changes. */
const memory = new WeakMap<BackupSchedule, Remembered>();

function remembered(schedule: BackupSchedule, config: BackupConfig | undefined): DueRun | undefined {
  const known = memory.get(schedule);
  if (known && known.config === config) return known.due;
  // One that is not there has been waited for, and has not succeeded, for as long as its schedule is there.
  const { creationTimestamp: createdAt } = (config ?? schedule).metadata;
  const due = dueRun(schedule, { createdAt, succeededAt: config?.status?.lastSuccessfulBackup?.at });
  memory.set(schedule, { config, ...(due ? { due } : {}) });
  return due;
}

function sooner(one: DueRun, other: DueRun = one): DueRun {
  return { at: Math.min(one.at, other.at), interval: Math.min(one.interval, other.interval) };
}
