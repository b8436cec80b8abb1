import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { GaugeOptions } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

/** How backups of recipes go, told at a scrape: read from the caches, so that what is gone is not shown. */
export function backupGauges({ configs }: Pick<KopiurCaches, "configs">): readonly GaugeOptions[] {
  const labels = ["namespace", "name"];
  const read = (valueFor: (config: BackupConfig) => number | undefined) => () =>
    [...configs.values()].flatMap((config) => {
      const { namespace = "", name } = config.metadata;
      const value = valueFor(config);
      return value === undefined ? [] : [{ labels: { namespace, name }, value }];
    });
  return [
    {
      name: "kopiur_backup_last_success_timestamp_seconds",
      help: "When the newest Backup of the BackupConfig that succeeded ended",
      labels,
      read: read(({ status }) => {
        const at = status?.lastSuccessfulBackup?.at;
        return at === undefined ? undefined : Date.parse(at) / 1000;
      }),
    },
    {
      name: "kopiur_backup_consecutive_failures",
      help: "Backups of the BackupConfig that have failed since one succeeded",
      labels,
      read: read(({ status }) => status?.consecutiveFailures),
    },
  ];
}
