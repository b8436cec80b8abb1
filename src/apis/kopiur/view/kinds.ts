import type { ColumnValue, ColumnView, KindView } from "../../../core/view/api_view.ts";
import type { ShownObject } from "../../../core/view/shown_object.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { KIND_WORDS } from "../../../kinds/kopiur/words.ts";
import type { ObjectName } from "../../../kube/object.ts";

function column<T extends ShownObject>(
  title: string,
  value: (object: T) => ColumnValue,
  wide?: true,
): ColumnView<T> {
  return { title, value, ...(wide ? { wide } : {}) };
}

const repository = [
  column<Repository>("ENGINE", ({ spec }) => spec.engine),
  column<Repository>("BACKEND", ({ status }) => status?.backend),
  column<Repository>("SNAPSHOTS", ({ status }) => status?.catalog?.snapshotCount),
  column<Repository>("STORED", ({ status }) => ({ bytes: status?.storageStats?.storedBytes })),
  column<Repository>("LAST CONTACT", ({ status }) => ({ at: status?.lastContactAt })),
  column<Repository>("ID", ({ status }) => status?.uniqueID, true),
];

const COLUMNS: Readonly<Record<keyof typeof KIND_WORDS, readonly ColumnView<never>[]>> = {
  backup: [
    column<Backup>("ORIGIN", ({ status }) => status?.origin),
    column<Backup>("CONFIG", ({ spec }) => spec.configRef?.name),
    column<Backup>("VOLUMES", ({ status }) => volumesText(status)),
    column<Backup>("SIZE", ({ status }) => ({
      bytes: status?.stats?.sizeBytes ?? status?.snapshot?.sizeBytes,
    })),
    column<Backup>("NEW", ({ status }) => ({ bytes: status?.stats?.bytesNew }), true),
    column<Backup>("ENDED", ({ status }) => ({ at: status?.timing?.endTime })),
    column<Backup>("SNAPSHOT", ({ status }) => status?.snapshot?.kopiaSnapshotID, true),
  ],
  restore: [
    column<Restore>(
      "FROM",
      ({ status, spec }) => status?.resolved?.backupRef?.name ?? Object.keys(spec.source)[0],
    ),
    column<Restore>(
      "TO",
      ({ spec }) => spec.target?.pvc?.name ?? spec.target?.pvcRef?.name ?? "claims that name it",
    ),
    column<Restore>("SNAPSHOT OF", ({ status }) => ({ at: status?.resolved?.snapshotTime })),
    column<Restore>("ENDED", ({ status }) => ({ at: status?.timing?.endTime })),
  ],
  config: [
    column<BackupConfig>("REPOSITORY", ({ spec }) => spec.repository.name),
    column<BackupConfig>("VOLUMES", ({ status }) => status?.resolved?.identity?.sources?.length),
    column<BackupConfig>("LAST GOOD BACKUP", ({ status }) => ({ at: status?.lastSuccessfulBackup?.at })),
    column<BackupConfig>("IDENTITY", ({ status }) => identityText(status), true),
  ],
  schedule: [
    column<BackupSchedule>("CONFIG", ({ spec }) => spec.configRef.name),
    column<BackupSchedule>("CRON", ({ status, spec }) => status?.resolvedCron ?? spec.schedule.cron),
    column<BackupSchedule>("LAST GOOD RUN", ({ status }) => ({ at: status?.lastSuccessfulSchedule?.at })),
    column<BackupSchedule>("NEXT RUN", ({ status }) => ({ at: status?.nextSchedule?.at })),
  ],
  repository,
  clusterrepository: repository,
  maintenance: [
    column<Maintenance>("REPOSITORY", ({ spec }) => spec.repository.name),
    column<Maintenance>("OWNER", ({ status }) => status?.ownership?.owner),
    column<Maintenance>("LAST QUICK", ({ status }) => ({ at: status?.quick?.lastSuccessAt })),
    column<Maintenance>("LAST FULL", ({ status }) => ({ at: status?.full?.lastSuccessAt })),
    column<Maintenance>("LAST CHECK", ({ status }) => {
      const { lastCheck } = status ?? {};
      return lastCheck && { at: lastCheck.at, text: lastCheck.healthy ? "healthy" : "damaged" };
    }),
  ],
};

const ONCE: readonly string[] = ["backup", "restore"];

/** Every kind of this API, as people name and list it. */
export const KIND_VIEWS: readonly KindView[] = Object.entries(KIND_WORDS).map(([word, resource]) => ({
  word,
  resource,
  columns: COLUMNS[word as keyof typeof KIND_WORDS] as readonly ColumnView<ShownObject>[],
  ...(ONCE.includes(word) ? { runsOnce: true } : {}),
  planOf,
}));

/** The BackupConfig that a Backup or a BackupSchedule names. */
function planOf({ metadata, ...object }: ShownObject): ObjectName | undefined {
  const { spec } = object as { readonly spec?: { readonly configRef?: ObjectName } };
  return spec?.configRef && { namespace: metadata.namespace, ...spec.configRef };
}

function volumesText(status: Backup["status"]): string {
  const names = (status?.snapshots ?? []).map(
    ({ pvc, identity, incomplete }) =>
      `${pvc?.split("/").at(-1) ?? identity.sourcePath}${incomplete ? " (incomplete)" : ""}`,
  );
  return names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(", ");
}

function identityText(status: BackupConfig["status"]): string | undefined {
  const identity = status?.resolved?.identity;
  return identity && `${identity.username}@${identity.hostname}`;
}
