import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

/**
 * How backups of BackupConfigs go, told at a scrape: read from the caches, so that what is gone is not shown. Figures are those
 * of a BackupConfig's newest success: a series for each Backup would be thousands that never change.
 */
export function backupGauges({
  configs,
  backups,
}: Pick<KopiurCaches, "configs" | "backups">): readonly GaugeOptions[] {
  const newest = ({ metadata: { namespace }, status }: BackupConfig) => {
    const name = status?.lastSuccessfulBackup?.name;
    return name === undefined ? undefined : backups.get(keyOf({ namespace, name }))?.status;
  };
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
    {
      name: "kopiur_backup_size_bytes",
      help: "Bytes of all files in the newest Backup of the BackupConfig that succeeded",
      labels,
      read: read((config) => newest(config)?.stats?.sizeBytes),
    },
    {
      name: "kopiur_backup_files",
      help: "Files in the newest Backup of the BackupConfig that succeeded",
      labels,
      read: read((config) => newest(config)?.stats?.files),
    },
    {
      name: "kopiur_backup_duration_seconds",
      help: "How long the newest Backup of the BackupConfig took that succeeded",
      labels,
      read: read((config) => newest(config)?.timing?.durationSeconds),
    },
    {
      name: "kopiur_backup_incomplete_volumes",
      help: "Volumes that the newest Backup of the BackupConfig that succeeded does not hold as a whole",
      labels,
      read: read((config) => newest(config)?.snapshots?.filter(({ incomplete }) => incomplete).length),
    },
    {
      name: "kopiur_backup_pruning_paused",
      help: "1 while nothing of the BackupConfig is pruned, with the reason of its condition PruningPaused",
      labels: [...labels, "reason"],
      read: () => [...configs.values()].flatMap(pauses),
    },
  ];
}

function pauses({ metadata: { namespace = "", name }, status }: BackupConfig): readonly Sample[] {
  const paused = status?.conditions?.find(
    ({ type, status: holds }) => type === CONDITIONS.pruningPaused && holds === "True",
  );
  return paused ? [{ labels: { namespace, name, reason: paused.reason }, value: 1 }] : [];
}

/** How each volume is protected, told at a scrape: from the newest success of each BackupConfig that backs it up. */
export function volumeGauges({
  configs,
  backups,
}: Pick<KopiurCaches, "configs" | "backups">): readonly GaugeOptions[] {
  const read = (valueFor: (at: string, snapshot: SnapshotStatus) => number | undefined) => () =>
    [...configs.values()].flatMap((config) => {
      const { name: newest, at } = config.status?.lastSuccessfulBackup ?? {};
      if (newest === undefined || at === undefined) return [];
      const key = keyOf({ namespace: config.metadata.namespace, name: newest });
      const samples = (backups.get(key)?.status?.snapshots ?? []).flatMap((snapshot) => {
        const labels = labelsOf(config, snapshot);
        const value = valueFor(at, snapshot);
        return labels && value !== undefined ? [{ labels, value }] : [];
      });
      return onePerVolume(samples);
    });
  const labels = ["pvc", "pvc_namespace", "backup_config", "repository"];
  return [
    {
      name: "kopiur_volume_last_success_timestamp_seconds",
      help: "When the newest Backup of the BackupConfig that succeeded ended, for each volume in it",
      labels,
      read: read((at) => Date.parse(at) / 1000),
    },
    {
      name: "kopiur_volume_size_bytes",
      help: "Bytes of each volume's files in the newest Backup of the BackupConfig that succeeded",
      labels,
      read: read((_, { sizeBytes }) => sizeBytes),
    },
  ];
}

function labelsOf({ metadata, spec }: BackupConfig, { pvc }: SnapshotStatus): Sample["labels"] | undefined {
  if (pvc === undefined) return undefined;
  const [namespace = "", name = ""] = pvc.split("/");
  return {
    pvc: name,
    pvc_namespace: namespace,
    backup_config: metadata.name,
    repository: spec.repository.name,
  };
}

/** A BackupConfig may record a volume under two paths: its content is the same. */
function onePerVolume(samples: readonly Sample[]): readonly Sample[] {
  return [...new Map(samples.map((sample) => [sample.labels?.pvc, sample])).values()];
}
