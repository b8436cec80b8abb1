import { planRetention } from "../../../core/policy/retention.ts";
import { volumePause, volumePauseText } from "../../../core/retention/volume_pause.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { Plan } from "../../../kinds/cozystack/generated/plan.ts";
import { ANNOTATIONS } from "../../../kinds/cozystack/labels.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { withGroup } from "./resolve_class.ts";

export interface ObservedHistory {
  readonly plan: Plan;
  readonly jobs: readonly BackupJob[];
  readonly backups: readonly Backup[];
  /** Backups that a RestoreJob names which has not ended. */
  readonly needed: ReadonlySet<string>;
  /** Whether a Backup would go with the job: its driver made the job its owner, and it is not free of it yet. */
  owns(job: BackupJob): boolean;
  readonly now: number;
}

export interface HistoryDecision {
  readonly jobs: readonly BackupJob[];
  readonly backups: readonly Backup[];
  readonly events: readonly EventNote[];
}

const SHRINK_WORDS = { kind: "Backup", annotation: ANNOTATIONS.acknowledgeShrink };

/**
 * What of a Plan's past goes: BackupJobs that succeeded, beyond the limit, and Backups that its retention does not keep.
 * The newest BackupJob stays, so that its slot cannot be made again. Without retention no Backup ever goes.
 */
export function decideHistory({ plan, jobs, backups, needed, owns, now }: ObservedHistory): HistoryDecision {
  const { successfulJobsHistoryLimit, retention } = plan.spec;
  const [newest] = jobs.toSorted(byAge);
  const surplus = jobs
    .filter(({ status, metadata }) => status?.phase === "Succeeded" && !metadata.deletionTimestamp)
    .toSorted(byAge)
    .slice(successfulJobsHistoryLimit)
    .filter((job) => job !== newest && !isHeld(job) && !owns(job));
  const present = backups.filter(({ metadata }) => !metadata.deletionTimestamp);
  // Tenants write no Backups, but jobs.
  const held = new Set(jobs.filter(isHeld).flatMap(({ status }) => status?.backupRef?.name ?? []));
  // A Plan may have been for another application before, whose Backups do not make room for those of this one.
  const groups = [...Map.groupBy(present, applicationOf).values()].map((some) => ({
    pause: volumePause(some.filter(isOver).map(endedBackup)),
    verdicts: planRetention({
      snapshots: some.map((backup) => ({
        id: backup.metadata.uid,
        at: Date.parse(backup.spec.takenAt),
        origin: "scheduled",
        succeeded: backup.status?.phase === "Ready",
        held: [held, needed].some((names) => names.has(backup.metadata.name)) || isHeld(backup),
      })),
      rules: retention,
      now,
    }).filter(({ kept }) => !kept),
  }));
  const gone = new Set(groups.flatMap(({ pause, verdicts }) => (pause ? [] : verdicts.map(({ id }) => id))));
  return {
    jobs: surplus,
    backups: present.filter(({ metadata }) => gone.has(metadata.uid)),
    events: groups.flatMap(({ pause, verdicts }) =>
      pause && verdicts.length > 0
        ? [{ type: "Warning", ...volumePauseText(pause, SHRINK_WORDS) } as const]
        : [],
    ),
  };
}

function isOver({ status }: Backup): boolean {
  return status?.phase === "Ready" || status?.phase === "Failed";
}

/** Drivers say how large an artifact is, where they know. */
function endedBackup({ metadata, spec, status }: Backup) {
  return {
    name: metadata.name,
    at: Date.parse(spec.takenAt),
    succeeded: status?.phase === "Ready",
    bytes: status?.artifact?.sizeBytes,
    acknowledged: metadata.annotations?.[ANNOTATIONS.acknowledgeShrink] === "true",
  };
}

function applicationOf({ spec }: Backup): string {
  const { apiGroup, kind, name } = withGroup(spec.applicationRef);
  return [apiGroup, kind, name].join("/");
}

function byAge(a: KubeObject, b: KubeObject): number {
  const times = Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp);
  return times || (a.metadata.name < b.metadata.name ? 1 : -1);
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[ANNOTATIONS.hold] === "true";
}
