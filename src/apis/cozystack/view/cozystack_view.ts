import type { ApiView } from "../../../core/view/api_view.ts";
import { kindView } from "../../../core/view/kind_view.ts";
import { scheduleTimes } from "../../../core/view/schedule_times.ts";
import { conditionOf, refOf, type ShownObject } from "../../../core/view/shown_object.ts";
import { type Backup, backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import { type BackupClass, backupClassResource } from "../../../kinds/cozystack/generated/backup_class.ts";
import { type BackupJob, backupJobResource } from "../../../kinds/cozystack/generated/backup_job.ts";
import { type Job, jobResource } from "../../../kinds/cozystack/generated/job.ts";
import {
  type JobBackupStrategy,
  jobBackupStrategyResource,
} from "../../../kinds/cozystack/generated/job_backup_strategy.ts";
import { type Plan, planResource } from "../../../kinds/cozystack/generated/plan.ts";
import { type RestoreJob, restoreJobResource } from "../../../kinds/cozystack/generated/restore_job.ts";
import { type Velero, veleroResource } from "../../../kinds/cozystack/generated/velero.ts";
import { type Volume, volumeResource } from "../../../kinds/cozystack/generated/volume.ts";
import type { ObjectName } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";

const none = () => [];

const planOf = ({ metadata, spec }: BackupJob | Backup): ObjectName | undefined =>
  spec.planRef && { namespace: metadata.namespace, name: spec.planRef.name };

const applicationText = ({ kind, name }: Plan["spec"]["applicationRef"]) => `${kind}/${name}`;

/** How plans and jobs are shown. Volumes are in the view of the API that stores them. */
export const cozystackView: ApiView = {
  api: "cozystack",
  kinds: [
    kindView<Plan>("plan", planResource, {
      APPLICATION: ({ spec }) => applicationText(spec.applicationRef),
      CLASS: ({ spec }) => spec.backupClassName,
      CRON: ({ spec, status }) => status?.resolvedCron ?? spec.schedule.cron,
      "LAST GOOD RUN": ({ status }) => ({ at: status?.lastSuccessfulSchedule?.at }),
      "NEXT RUN": ({ status }) => ({ at: status?.nextSchedule?.at }),
    }),
    kindView<BackupClass>("backupclass", backupClassResource, {
      STRATEGIES: ({ spec }) => spec.strategies.map(({ strategyRef }) => strategyRef.kind).join(", "),
    }),
    kindView<BackupJob>(
      "backupjob",
      backupJobResource,
      {
        APPLICATION: ({ spec }) => applicationText(spec.applicationRef),
        BACKUP: ({ status }) => status?.backupRef?.name,
        ENDED: ({ status }) => ({ at: status?.completedAt }),
      },
      { runsOnce: true, planOf },
    ),
    kindView<Backup>("applicationbackup", backupResource, {
      APPLICATION: ({ spec }) => applicationText(spec.applicationRef),
      STRATEGY: ({ spec }) => spec.strategyRef.kind,
      SIZE: ({ status }) => ({ bytes: status?.artifact?.sizeBytes }),
      TAKEN: ({ spec }) => ({ at: spec.takenAt }),
    }),
    kindView<RestoreJob>(
      "restorejob",
      restoreJobResource,
      {
        FROM: ({ spec }) => spec.backupRef.name,
        INTO: ({ spec }) => spec.targetApplicationRef && applicationText(spec.targetApplicationRef),
        ENDED: ({ status }) => ({ at: status?.completedAt }),
      },
      { runsOnce: true },
    ),
    kindView<Volume>(
      "volumestrategy",
      volumeResource,
      { REPOSITORY: ({ spec }) => spec.repository.name },
      { uncounted: true },
    ),
    kindView<Job>("jobstrategy", jobResource, {}, { uncounted: true }),
    kindView<Velero>(
      "velerostrategy",
      veleroResource,
      { NAMESPACE: ({ spec }) => spec.namespace },
      { uncounted: true },
    ),
    kindView<JobBackupStrategy>("jobbackupstrategy", jobBackupStrategyResource, {}, { uncounted: true }),
  ],
  read: ({ of }) => {
    const jobs = [...of(backupJobResource), ...of(restoreJobResource)];
    const shown = [...of(planResource), ...jobs];
    return {
      // Where nobody uses this API, it has nothing to say about volumes.
      unnamed: of(planResource).length > 0 ? "no Plan backs its application up" : undefined,
      stores: new Set(),
      // The volumes are protected by the Backups that the Volume driver makes, and are shown there.
      protections: none,
      snapshots: none,
      repositories: none,
      schedules: () =>
        of(planResource).map((plan) => ({
          object: refOf(plan),
          ...scheduleTimes(plan.status?.resolvedCron, plan.spec.schedule),
          suspended: plan.spec.suspend,
          nextRun: plan.status?.nextSchedule?.at,
          lastGoodRun: plan.status?.lastSuccessfulSchedule?.at,
        })),
      activity: () =>
        jobs
          .filter(({ status }) => !status?.completedAt)
          .map((job) => ({
            object: refOf(job),
            phase: job.status?.phase ?? "Pending",
            why: job.status?.message,
          })),
      problems: () =>
        shown.flatMap((object) => {
          const stalled = conditionOf(object, "Stalled");
          return stalled?.status === "True" ? [{ object: refOf(object), why: stalled.message }] : [];
        }),
    };
  },
  dependsOn: ({ kind: of, metadata, ...object }) => {
    const { spec } = object as { readonly spec?: { backupClassName?: string; backupRef?: { name: string } } };
    const { namespace } = metadata;
    if (of === "Plan" || of === "BackupJob") {
      return spec?.backupClassName
        ? [{ resource: backupClassResource as Resource<ShownObject>, name: { name: spec.backupClassName } }]
        : [];
    }
    return of === "RestoreJob" && spec?.backupRef
      ? [
          {
            resource: backupResource as Resource<ShownObject>,
            name: { namespace, name: spec.backupRef.name },
          },
        ]
      : [];
  },
  nextTry: ({ kind: of }) =>
    of === "BackupJob" || of === "RestoreJob"
      ? `It has ended. Create a new ${of} to try again.`
      : "It is tried again when it is edited.",
  remedies: none,
};
