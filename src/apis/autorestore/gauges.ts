import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import type { AutorestoreCaches, Phased } from "./caches.ts";

/** What is shown of this API's objects at a scrape. */
export function autorestoreGauges(caches: AutorestoreCaches): readonly GaugeOptions[] {
  return [
    {
      name: "autorestore_resource_phase",
      help: "1 for the phase that the object is in; ResticBackups and ResticRestores only until they have completed",
      labels: ["kind", "namespace", "name", "phase"],
      read: () => phases(caches),
    },
    {
      name: "autorestore_managed_pvcs",
      help: "PVCs that a BackupConfig of AutoRestore has claimed",
      labels: ["namespace", "name"],
      read: () => managed(caches),
    },
  ];
}

function* phases({ repositories, backups, restores }: AutorestoreCaches): Generator<Sample> {
  const shown: readonly Iterable<Phased>[] = [repositories.values(), backups.values(), restores.values()];
  for (const objects of shown) {
    for (const { kind, metadata, status } of objects) {
      const { namespace = "", name } = metadata;
      const { phase } = status ?? {};
      if (phase && phase !== "Completed") yield { labels: { kind, namespace, name, phase }, value: 1 };
    }
  }
}

function* managed({ configs }: AutorestoreCaches): Generator<Sample> {
  for (const { metadata, status } of configs.values()) {
    const { namespace = "", name } = metadata;
    yield { labels: { namespace, name }, value: status?.pvcCount ?? 0 };
  }
}
