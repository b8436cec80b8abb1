import type { Informers } from "../../kube/cache/informers.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import type { PodVolume } from "./data_path/pod_volume.ts";
import { type VeleroCaches, veleroCaches } from "./ports.ts";

/** What this API shows of its objects. */
export function veleroGauges(
  informers: Pick<Informers, "cache">,
  namespace: string | undefined,
): readonly GaugeOptions[] {
  const caches = veleroCaches(informers, namespace);
  return [
    {
      name: "velero_pod_volume_objects",
      help: "PodVolumeBackups and PodVolumeRestores, by kind and phase",
      labels: ["kind", "phase"],
      read: () => counted(caches),
    },
    {
      name: "velero_pod_volume_last_failure_timestamp_seconds",
      help: "When the newest PodVolumeBackup or PodVolumeRestore that Failed ended, by its namespace and that of its pod",
      labels: ["kind", "namespace", "pod_namespace"],
      read: () => extremes(caches, failure, Math.max),
    },
    {
      name: "velero_pod_volume_preparing_since_timestamp_seconds",
      help: "Since when the oldest PodVolumeBackup or PodVolumeRestore is Accepted or Prepared, by its namespace and that of its pod",
      labels: ["kind", "namespace", "pod_namespace"],
      read: () => extremes(caches, preparing, Math.min),
    },
  ];
}

function* counted({ backups, restores }: VeleroCaches): Generator<Sample> {
  for (const cache of [backups, restores]) {
    const counts = new Map<string, number>();
    for (const { kind, status } of cache.values()) {
      const key = `${kind} ${status?.phase ?? "New"}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, value] of counts) {
      const [kind = "", phase = ""] = key.split(" ");
      yield { labels: { kind, phase }, value };
    }
  }
}

/** The first or last of the times that objects tell, for each kind and namespace. */
function extremes(
  { backups, restores }: VeleroCaches,
  timeOf: (object: PodVolume) => string | null | undefined,
  of: (...times: number[]) => number,
): readonly Sample[] {
  const found = new Map<string, Sample>();
  const objects: readonly PodVolume[] = [...backups.values(), ...restores.values()];
  for (const object of objects) {
    const time = timeOf(object);
    if (!time) continue;
    // The CRDs of a Velero server let an object have no spec.
    const { namespace: pod_namespace = "" } = object.spec?.pod ?? {};
    const labels = { kind: object.kind, namespace: object.metadata.namespace ?? "", pod_namespace };
    const key = Object.values(labels).join(" ");
    const seconds = Date.parse(time) / 1000;
    found.set(key, { labels, value: of(seconds, found.get(key)?.value ?? seconds) });
  }
  return [...found.values()];
}

function failure({ status }: PodVolume): string | null | undefined {
  return status?.phase === "Failed" ? status.completionTimestamp : undefined;
}

function preparing({ metadata, status }: PodVolume): string | undefined {
  const isPreparing = status?.phase === "Accepted" || status?.phase === "Prepared";
  return isPreparing ? (status.acceptedTimestamp ?? metadata.creationTimestamp) : undefined;
}
