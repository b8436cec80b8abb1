import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";

/** How each volume is protected, told at a scrape: from the newest success of each recipe that backs it up. */
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

/** A recipe may record a volume under two paths: its content is the same. */
function onePerVolume(samples: readonly Sample[]): readonly Sample[] {
  return [...new Map(samples.map((sample) => [sample.labels?.pvc, sample])).values()];
}
