import type { Informers } from "../../kube/cache/informers.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import { cozystackCaches } from "./caches.ts";

type Phased = KubeObject & { readonly status?: { readonly phase?: string } };

/** The gauges of this API, from the caches that its controllers share. */
export function cozystackGauges(informers: Pick<Informers, "cache">): readonly GaugeOptions[] {
  const { plans, backupJobs, restoreJobs, backups } = cozystackCaches(informers);
  return [
    {
      name: "cozystack_backups_resource_phase",
      help: "How many objects of the kind are in the phase",
      labels: ["kind", "namespace", "phase"],
      read: () => [
        ...counted("Plan", plans.values()),
        ...counted("BackupJob", backupJobs.values()),
        ...counted("RestoreJob", restoreJobs.values()),
        ...counted("Backup", backups.values()),
      ],
    },
    {
      name: "cozystack_backups_plan_last_success_timestamp_seconds",
      help: "When the newest successful BackupJob of the Plan was due",
      labels: ["namespace", "name"],
      read: () => lastSuccesses(plans.values()),
    },
  ];
}

function counted(kind: string, objects: Iterable<Phased>): readonly Sample[] {
  const counts = new Map<string, { labels: Record<string, string>; value: number }>();
  for (const { metadata, status } of objects) {
    const { namespace = "" } = metadata;
    const { phase = "Pending" } = status ?? {};
    const one = counts.get(`${namespace}/${phase}`) ?? { labels: { kind, namespace, phase }, value: 0 };
    one.value += 1;
    counts.set(`${namespace}/${phase}`, one);
  }
  return [...counts.values()];
}

function* lastSuccesses(
  plans: Iterable<
    KubeObject & { readonly status?: { readonly lastSuccessfulSchedule?: { readonly at: string } } }
  >,
): Generator<Sample> {
  for (const { metadata, status } of plans) {
    const { namespace = "", name } = metadata;
    const at = Date.parse(status?.lastSuccessfulSchedule?.at ?? "");
    if (!Number.isNaN(at)) yield { labels: { namespace, name }, value: at / 1000 };
  }
}
