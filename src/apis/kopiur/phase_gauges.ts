import type { KubeObject } from "../../kube/object.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import type { KopiurCaches } from "./caches.ts";

type Phased = KubeObject & { readonly status?: { readonly phase?: string } };

/**
 * Backups at rest: there may be many thousands, and nothing about them changes. Those that run, that failed or that are
 * being deleted are few, as history limits see to it.
 */
const AT_REST = ["Succeeded", "Discovered"];

/**
 * In which phase each object is. One series for each, of its phase alone: the others would be zeros, several for each
 * object, and a series goes with its phase or its object, which is all that a zero could say.
 */
export function phaseGauges(caches: KopiurCaches): readonly GaugeOptions[] {
  return [
    {
      name: "kopiur_resource_phase",
      help: "1 for the phase that the object is in; Backups only until they have succeeded",
      labels: ["kind", "namespace", "name", "phase"],
      read: () => [
        ...phasesOf("Repository", caches.repositories.values()),
        ...phasesOf("ClusterRepository", caches.clusterRepositories?.values() ?? []),
        ...phasesOf("BackupConfig", caches.configs.values()),
        ...phasesOf("BackupSchedule", caches.schedules.values()),
        ...phasesOf("Backup", caches.backups.values(), AT_REST),
        ...phasesOf("Restore", caches.restores.values()),
        ...phasesOf("Maintenance", caches.maintenances.values()),
      ],
    },
  ];
}

function* phasesOf(
  kind: string,
  objects: Iterable<Phased>,
  leftOut: readonly string[] = [],
): Generator<Sample> {
  for (const { metadata, status } of objects) {
    const { namespace = "", name } = metadata;
    const phase = status?.phase;
    if (phase !== undefined && !leftOut.includes(phase))
      yield { labels: { kind, namespace, name, phase }, value: 1 };
  }
}
