import type { Plan } from "../../kinds/cozystack/generated/plan.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import { cozystackCaches } from "./caches.ts";
import { dueOf } from "./core/planned_job.ts";

type Known = KubeObject & {
  readonly status?: {
    readonly phase?: string;
    readonly completedAt?: string;
    readonly conditions?: readonly Condition[];
  };
};

/** The gauges of this API, from the caches that its controllers share. */
export function cozystackGauges(informers: Pick<Informers, "cache">): readonly GaugeOptions[] {
  const { plans, backupJobs, restoreJobs, backups } = cozystackCaches(informers);
  const ofPlan = (name: string, help: string, read: (plan: Plan) => number | undefined): GaugeOptions => ({
    name,
    help,
    labels: ["namespace", "name"],
    read: () =>
      Array.from(plans.values()).flatMap((plan) => {
        const { namespace = "", name } = plan.metadata;
        const value = read(plan);
        return value === undefined ? [] : [{ labels: { namespace, name }, value }];
      }),
  });
  return [
    {
      name: "cozystack_backups_resource_phase",
      help: "How many objects of the kind are in the phase",
      labels: ["kind", "namespace", "phase"],
      read: () => [
        ...phases("Plan", plans.values()),
        ...phases("BackupJob", backupJobs.values()),
        ...phases("RestoreJob", restoreJobs.values()),
        ...phases("Backup", backups.values()),
      ],
    },
    {
      name: "cozystack_backups_waiting",
      help: "How many jobs that have not ended, and Backups that are being deleted, are not ready, by the reason that they give",
      labels: ["kind", "namespace", "reason"],
      read: () => [
        ...waiting("BackupJob", backupJobs.values(), isUnended),
        ...waiting("RestoreJob", restoreJobs.values(), isUnended),
        ...waiting("Backup", backups.values(), ({ status }) => status?.phase === "Deleting"),
      ],
    },
    ofPlan(
      "cozystack_backups_plan_last_success_timestamp_seconds",
      "When the newest successful BackupJob of the Plan was due",
      ({ status }) => secondsOf(status?.lastSuccessfulSchedule?.at),
    ),
    ofPlan(
      "cozystack_backups_plan_due_timestamp_seconds",
      "When the first BackupJob is due, or was, since the newest success of the Plan",
      (plan) => seconds(dueOf(plan)?.at),
    ),
    ofPlan(
      "cozystack_backups_plan_interval_seconds",
      "How long after that BackupJob the next one of the Plan is due",
      (plan) => seconds(dueOf(plan)?.interval),
    ),
    ofPlan(
      "cozystack_backups_plan_consecutive_failures",
      "BackupJobs of the Plan that failed since one succeeded",
      ({ status }) => status?.consecutiveFailures ?? 0,
    ),
  ];
}

function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) / 1000;
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

function isUnended({ status }: Known): boolean {
  return status?.completedAt === undefined;
}

function phases(kind: string, objects: Iterable<Known>): readonly Sample[] {
  return counted(objects, ({ metadata: { namespace = "" }, status }) => ({
    kind,
    namespace,
    phase: status?.phase ?? "Pending",
  }));
}

function waiting(kind: string, objects: Iterable<Known>, is: (object: Known) => boolean): readonly Sample[] {
  return counted([...objects].filter(is), ({ metadata: { namespace = "" }, status }) => ({
    kind,
    namespace,
    reason: status?.conditions?.find(({ type }) => type === "Ready")?.reason ?? "",
  }));
}

function counted(
  objects: Iterable<Known>,
  labelsOf: (object: Known) => Readonly<Record<string, string>>,
): readonly Sample[] {
  const counts = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();
  for (const object of objects) {
    const labels = labelsOf(object);
    const key = Object.values(labels).join("/");
    const one = counts.get(key) ?? { labels, value: 0 };
    one.value += 1;
    counts.set(key, one);
  }
  return [...counts.values()];
}
