import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../kinds/kopiur/generated/backup_schedule.ts";
import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Repository } from "../../kinds/kopiur/generated/repository.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { bytesText } from "../bytes_text.ts";
import { complaintOf, type NativeObject } from "../frame/kinds.ts";
import type { Column } from "../frame/table.ts";
import type { Tone } from "../frame/terminal.ts";
import { agoText, durationText } from "../frame/times_text.ts";
import { whereText } from "../frame/where.ts";

export interface ColumnOptions {
  readonly now: number;
  /** Namespaces are shown. */
  readonly all: boolean;
}

const TONES: Readonly<Record<string, Tone>> = {
  Succeeded: "good",
  Completed: "good",
  Ready: "good",
  Active: "good",
  Failed: "bad",
  Degraded: "warn",
  Suspended: "warn",
};

/** The columns in which objects of a kind are listed: what they have in common, and between that their own. */
export function listColumns(kind: string, { now, all }: ColumnOptions): readonly Column<NativeObject>[] {
  const own = (OWN[kind] ?? []) as readonly OwnColumn[];
  return [
    { title: "NAME", cell: (object) => whereText(object, all) },
    {
      title: "PHASE",
      cell: ({ status }) => {
        const text = status?.phase ?? "Pending";
        const tone = TONES[text];
        return tone ? { text, tone } : text;
      },
    },
    ...own.map(({ title, text, wide }) => ({
      title,
      cell: (object: NativeObject) => text(object, now) || "-",
      ...(wide ? { wide } : {}),
    })),
    { title: "AGE", cell: ({ metadata }) => durationText(now - Date.parse(metadata.creationTimestamp)) },
    { title: "WHY", cell: (object) => complaintOf(object) ?? "", wide: true },
  ];
}

interface OwnColumn {
  readonly title: string;
  readonly text: (object: NativeObject, now: number) => string | undefined;
  readonly wide?: boolean;
}

function column<T extends NativeObject>(
  title: string,
  text: (object: T, now: number) => string | undefined,
  wide?: boolean,
): OwnColumn {
  return { title, text: text as OwnColumn["text"], ...(wide ? { wide } : {}) };
}

const repository = [
  column<Repository>("ENGINE", ({ spec }) => spec.engine),
  column<Repository>("BACKEND", ({ status }) => status?.backend),
  column<Repository>("SNAPSHOTS", ({ status }) => numberText(status?.catalog?.snapshotCount)),
  column<Repository>("STORED", ({ status }) => sizeText(status?.storageStats?.storedBytes)),
  column<Repository>("LAST CONTACT", ({ status }, now) => agoText(status?.lastContactAt, now)),
  column<Repository>("ID", ({ status }) => status?.uniqueID, true),
];

const OWN: Readonly<Record<string, readonly OwnColumn[]>> = {
  Backup: [
    column<Backup>("ORIGIN", ({ status }) => status?.origin),
    column<Backup>("CONFIG", ({ spec }) => spec.configRef?.name),
    column<Backup>("VOLUMES", ({ status }) => volumesText(status)),
    column<Backup>("SIZE", ({ status }) => sizeText(sizeOf(status))),
    column<Backup>("NEW", ({ status }) => sizeText(status?.stats?.bytesNew), true),
    column<Backup>("ENDED", ({ status }, now) => agoText(status?.timing?.endTime, now)),
    column<Backup>("SNAPSHOT", ({ status }) => status?.snapshot?.kopiaSnapshotID, true),
  ],
  Restore: [
    column<Restore>(
      "FROM",
      ({ status, spec }) => status?.resolved?.backupRef?.name ?? Object.keys(spec.source)[0],
    ),
    column<Restore>(
      "TO",
      ({ spec }) => spec.target?.pvc?.name ?? spec.target?.pvcRef?.name ?? "claims that name it",
    ),
    column<Restore>("SNAPSHOT OF", ({ status }, now) => agoText(status?.resolved?.snapshotTime, now)),
    column<Restore>("ENDED", ({ status }, now) => agoText(status?.timing?.endTime, now)),
  ],
  BackupConfig: [
    column<BackupConfig>("REPOSITORY", ({ spec }) => spec.repository.name),
    column<BackupConfig>("VOLUMES", ({ status }) => numberText(status?.resolved?.identity?.sources?.length)),
    column<BackupConfig>("LAST GOOD BACKUP", ({ status }, now) =>
      agoText(status?.lastSuccessfulBackup?.at, now),
    ),
    column<BackupConfig>("IDENTITY", ({ status }) => identityText(status), true),
  ],
  BackupSchedule: [
    column<BackupSchedule>("CONFIG", ({ spec }) => spec.configRef.name),
    column<BackupSchedule>("CRON", ({ status, spec }) => status?.resolvedCron ?? spec.schedule.cron),
    column<BackupSchedule>("LAST GOOD RUN", ({ status }, now) =>
      agoText(status?.lastSuccessfulSchedule?.at, now),
    ),
    column<BackupSchedule>("NEXT RUN", ({ status }, now) => agoText(status?.nextSchedule?.at, now)),
  ],
  Repository: repository,
  ClusterRepository: repository,
  Maintenance: [
    column<Maintenance>("REPOSITORY", ({ spec }) => spec.repository.name),
    column<Maintenance>("OWNER", ({ status }) => status?.ownership?.owner),
    column<Maintenance>("LAST QUICK", ({ status }, now) => agoText(status?.quick?.lastSuccessAt, now)),
    column<Maintenance>("LAST FULL", ({ status }, now) => agoText(status?.full?.lastSuccessAt, now)),
    column<Maintenance>("LAST CHECK", ({ status }, now) => checkText(status, now)),
  ],
};

function sizeText(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : bytesText(bytes);
}

function numberText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function sizeOf(status: Backup["status"]): number | undefined {
  return status?.stats?.sizeBytes ?? status?.snapshot?.sizeBytes;
}

function volumesText(status: Backup["status"]): string {
  const names = (status?.snapshots ?? []).map(
    ({ pvc, identity }) => pvc?.split("/").at(-1) ?? identity.sourcePath,
  );
  return names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(", ");
}

function identityText(status: BackupConfig["status"]): string | undefined {
  const identity = status?.resolved?.identity;
  return identity && `${identity.username}@${identity.hostname}`;
}

function checkText(status: Maintenance["status"], now: number): string | undefined {
  const check = status?.lastCheck;
  return check && `${check.healthy ? "healthy" : "damaged"}, ${agoText(check.at, now)}`;
}
