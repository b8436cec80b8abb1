import { activityOf } from "../../../core/view/activity_of.ts";
import type { ApiView, Dependency } from "../../../core/view/api_view.ts";
import { scheduleTimes } from "../../../core/view/schedule_times.ts";
import { refOf, type ShownObject } from "../../../core/view/shown_object.ts";
import type { ActivityView, ProgressView, ScheduleView } from "../../../core/view/view.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { KIND_WORDS } from "../../../kinds/kopiur/words.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { KIND_VIEWS } from "./kinds.ts";
import { lostIn } from "./lost.ts";
import { nextTry } from "./next_try.ts";
import { problemsIn } from "./problems.ts";
import { protectVolume } from "./protect_volume.ts";
import { protectionsIn } from "./protections.ts";
import { remediesOf } from "./remedies.ts";
import { repositoryView } from "./repository_view.ts";
import { retentionView } from "./retention_view.ts";
import { STORES, scheduledIn, seenIn } from "./seen.ts";
import { snapshotsIn } from "./snapshots.ts";

/** How the native API shows its objects. It loads none of the operator's code. */
export const kopiurView: ApiView = {
  api: "kopiur",
  kinds: KIND_VIEWS,
  // BackupConfigs that are repeated here run by the schedules of the namespace that they are of.
  elsewhere: ({ of }) =>
    [...new Set(of(KIND_WORDS.config).map(scheduledIn))].map((namespace) => ({
      resource: KIND_WORDS.schedule,
      namespace,
    })),
  read: (listed, now) => {
    const seen = seenIn(listed);
    return {
      unnamed: "no BackupConfig names it",
      stores: seen.stores,
      protections: () => protectionsIn(seen, now),
      snapshots: () => snapshotsIn(seen),
      repositories: () => seen.repositories.map((repository) => repositoryView(repository, seen)),
      schedules: () => seen.schedules.map(scheduleView),
      activity: () => [...seen.backups, ...seen.restores].filter(isUnderWay).map(activityView),
      problems: () => problemsIn(seen),
      lost: () => lostIn(seen),
    };
  },
  dependsOn,
  nextTry,
  remedies: remediesOf,
  stores: STORES,
  protect: protectVolume,
  retention: retentionView,
};

function scheduleView(schedule: BackupSchedule): ScheduleView {
  const { spec, status } = schedule;
  return {
    object: refOf(schedule),
    ...scheduleTimes(status?.resolvedCron, spec.schedule),
    suspended: spec.schedule.suspend ?? false,
    nextRun: status?.nextSchedule?.at,
    lastGoodRun: status?.lastSuccessfulSchedule?.at,
  };
}

const UNDER_WAY = ["Pending", "Running", "Resolving", "Restoring", "Deleting"];

function isUnderWay({ status }: Backup | Restore): boolean {
  return UNDER_WAY.includes(status?.phase ?? "Pending");
}

function activityView(run: Backup | Restore): ActivityView {
  const progress = progressOf(run.status?.progress ?? {});
  return { ...activityOf(run, ["Pending", "Resolving", "Deleting"]), progress };
}

function progressOf(
  progress: NonNullable<NonNullable<(Backup | Restore)["status"]>["progress"]>,
): ProgressView | undefined {
  if ("bytesRestored" in progress) {
    const { bytesRestored: bytes, filesRestored: files, bytesTotal: total } = progress;
    return { bytes, files, ...(total ? { percent: Math.floor(((bytes ?? 0) / total) * 100) } : {}) };
  }
  if (!("bytes" in progress)) return undefined;
  const { percent, files, bytes } = progress;
  return { percent, files, bytes };
}

interface Naming {
  readonly configRef?: ObjectName;
  readonly repository?: ObjectName & { readonly kind?: string };
  readonly source?: { readonly fromConfig?: ObjectName };
}

/** The BackupConfig and the repository that a spec names. */
function dependsOn({ metadata: { namespace }, ...object }: ShownObject): readonly Dependency[] {
  const { configRef, repository, source } = (object as { readonly spec?: Naming }).spec ?? {};
  const config = configRef ?? source?.fromConfig;
  const within = (ref: ObjectName): ObjectName => ({ namespace: ref.namespace ?? namespace, name: ref.name });
  const ofCluster = repository?.kind === KIND_WORDS.clusterrepository.kind;
  return [
    ...(config ? [{ resource: KIND_WORDS.config, name: within(config) }] : []),
    ...(repository
      ? [
          ofCluster
            ? { resource: KIND_WORDS.clusterrepository, name: { name: repository.name } }
            : { resource: KIND_WORDS.repository, name: within(repository) },
        ]
      : []),
  ];
}
