import type { Informers } from "../../kube/cache/informers.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
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
