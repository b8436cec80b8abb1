import type { KubeObject } from "../../kube/object.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import type { KopiurCaches } from "./caches.ts";

interface ShownStatus {
  readonly phase?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
  }[];
}
type Shown = KubeObject & { readonly status?: ShownStatus };

/**
 * Backups at rest: there may be many thousands, and nothing about them changes. Those that run, that failed or that are
 * being deleted are few, as history limits see to it.
 */
const AT_REST = ["Succeeded", "Discovered"];

const LABELS = ["kind", "namespace", "name"];

/**
 * How each object stands. One series for each, of its phase alone, and one of why it is not ready, while it is not: the
 * others would be zeros, several for each object, and a series goes with its phase or its object, which is all that a
 * zero could say.
 */
export function phaseGauges(caches: KopiurCaches): readonly GaugeOptions[] {
  return [
    {
      name: "kopiur_resource_phase",
      help: "1 for the phase that the object is in; Backups only until they have succeeded",
      labels: [...LABELS, "phase"],
      read: () => samples(caches, "phase", ({ phase }) => phase),
    },
    {
      name: "kopiur_resource_not_ready",
      help: "1 while the object is not ready, with the reason of its condition; Backups only until they have succeeded",
      labels: [...LABELS, "reason"],
      read: () => samples(caches, "reason", whyNotReady),
    },
  ];
}

function whyNotReady({ conditions = [] }: ShownStatus): string | undefined {
  const told = conditions.find(
    ({ type, status }) =>
      (type === "Ready" && status === "False") || (type === "Stalled" && status === "True"),
  );
  return told?.reason;
}

/** One for each object of which there is a word to say. */
function* samples(
  caches: KopiurCaches,
  label: string,
  wordFor: (status: ShownStatus) => string | undefined,
): Generator<Sample> {
  for (const [kind, objects] of shownIn(caches)) {
    for (const { metadata, status = {} } of objects) {
      const { namespace = "", name } = metadata;
      const word = AT_REST.includes(status.phase ?? "") ? undefined : wordFor(status);
      if (word !== undefined) yield { labels: { kind, namespace, name, [label]: word }, value: 1 };
    }
  }
}

function shownIn(caches: KopiurCaches): readonly (readonly [kind: string, objects: Iterable<Shown>])[] {
  return [
    ["Repository", caches.repositories.values()],
    ["ClusterRepository", caches.clusterRepositories?.values() ?? []],
    ["BackupConfig", caches.configs.values()],
    ["BackupSchedule", caches.schedules.values()],
    ["Backup", caches.backups.values()],
    ["Restore", caches.restores.values()],
    ["Maintenance", caches.maintenances.values()],
  ];
}
