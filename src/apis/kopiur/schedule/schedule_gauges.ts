import type { GaugeOptions } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

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
