import type { Slot } from "../../../core/policy/schedule_decision.ts";
import { slotName } from "../../../core/policy/slot_name.ts";
import type { ObservedSchedule } from "../../../core/schedule/decide_schedule.ts";
import { type DueRun, dueRun } from "../../../core/schedule/due_run.ts";
import type { Schedule, ScheduleState } from "../../../core/schedule/schedule_object.ts";
import type { ScheduledRun } from "../../../core/schedule/scheduled_runs.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import { type BackupJob, backupJobResource } from "../../../kinds/cozystack/generated/backup_job.ts";
import { type Plan, type PlanStatus, planResource } from "../../../kinds/cozystack/generated/plan.ts";
import { ANNOTATIONS, LABELS } from "../../../kinds/cozystack/labels.ts";
import type { Draft } from "../../../kube/object.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { labelValue } from "../../../lib/names.ts";
import { resolveClass, withGroup } from "./resolve_class.ts";

/** The BackupJob of a slot. Its name is the slot's, so that it is made once. */
export function plannedJob(plan: Plan, { slot }: Slot): Draft<BackupJob> {
  const { metadata, spec } = plan;
  const { namespace = "", name } = metadata;
  return {
    metadata: {
      name: slotName(name, slot),
      namespace,
      labels: { [LABELS.plan]: labelValue(name) },
      annotations: { [ANNOTATIONS.slot]: timestamp(slot) },
      ownerReferences: [
        ownerReference({
          owner: { resource: planResource, object: plan },
          dependent: { resource: backupJobResource, namespace },
          blockOwnerDeletion: false,
        }),
      ],
    },
    spec: {
      planRef: { name },
      applicationRef: withGroup(spec.applicationRef),
      backupClassName: spec.backupClassName,
    },
  };
}

export function isOfSlot(job: BackupJob, { metadata }: Plan, slot: number): boolean {
  return job.spec.planRef?.name === metadata.name && slotOf(job) === slot;
}

function slotOf({ metadata }: BackupJob): number {
  return Date.parse(metadata.annotations?.[ANNOTATIONS.slot] ?? "");
}

export interface PlanSurroundings {
  readonly jobs: readonly BackupJob[];
  readonly class: BackupClass | undefined;
  readonly now: number;
}

/** By which strategy the jobs of a Plan will run. Without one they are made all the same, and say so themselves. */
function classCondition({ spec }: Plan, found: BackupClass | undefined): WantedCondition {
  const resolved = resolveClass(spec.applicationRef, spec.backupClassName, found);
  const type = "ClassResolved";
  if (!resolved.ok) {
    const { reason, message } = resolved.error;
    return { type, status: "False", reason, message };
  }
  const { kind, name, apiGroup } = resolved.value.strategyRef;
  return {
    type,
    status: "True",
    reason: "Resolved",
    message: `Backed up by ${kind} ${name} of ${apiGroup}.`,
  };
}

/** A Plan as the engine room knows schedules. */
export function observedPlan(
  plan: Plan,
  { jobs, class: found, now }: PlanSurroundings,
): ObservedSchedule<BackupJob> {
  return {
    schedule: scheduleOf(plan),
    conditions: [classCondition(plan, found)],
    runs: jobs
      .filter((job) => job.spec.planRef?.name === plan.metadata.name && !Number.isNaN(slotOf(job)))
      .map(runOf),
    words: { startingDeadline: "startingDeadlineSeconds", forbidden: "concurrencyPolicy is Forbid" },
    now,
  };
}

/** The run of a Plan that has to bring the next success. None while it is suspended, or cannot be understood. */
export function dueOf(plan: Plan): DueRun | undefined {
  const { creationTimestamp: createdAt } = plan.metadata;
  return dueRun(scheduleOf(plan), { createdAt, succeededAt: plan.status?.lastSuccessfulSchedule?.at });
}

function scheduleOf({ apiVersion, kind, metadata, spec, status }: Plan): Schedule {
  const { suspend, concurrencyPolicy, startingDeadlineSeconds, failedJobsHistoryLimit } = spec;
  const { cron = "", timezone } = spec.schedule;
  return {
    apiVersion,
    kind,
    metadata,
    spec: {
      schedule: {
        cron,
        timezone,
        suspend,
        runOnCreate: false,
        concurrencyPolicy,
        ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
      },
      failedJobsHistoryLimit,
    },
    ...(status ? { status: stateOf(status) } : {}),
  };
}

/** The state under the engine room's names. */
function stateOf(status: PlanStatus): ScheduleState {
  const { backupJobsCreated, lastSchedule, lastSuccessfulSchedule, ...same } = status;
  return {
    ...same,
    ...(backupJobsCreated === undefined ? {} : { backupsCreated: backupJobsCreated }),
    ...(lastSchedule ? { lastSchedule: renamed(lastSchedule, "backupJobRef", "backupRef") } : {}),
    ...(lastSuccessfulSchedule
      ? { lastSuccessfulSchedule: renamed(lastSuccessfulSchedule, "backupJobRef", "backupRef") }
      : {}),
  } as ScheduleState;
}

/** The state under the names of a Plan. */
export function planStatus(_: Plan, state: ScheduleState): PlanStatus {
  const { backupsCreated, lastSchedule, lastSuccessfulSchedule, ...same } = state;
  return {
    ...same,
    ...(backupsCreated === undefined ? {} : { backupJobsCreated: backupsCreated }),
    ...(lastSchedule ? { lastSchedule: renamed(lastSchedule, "backupRef", "backupJobRef") } : {}),
    ...(lastSuccessfulSchedule
      ? { lastSuccessfulSchedule: renamed(lastSuccessfulSchedule, "backupRef", "backupJobRef") }
      : {}),
  } as PlanStatus;
}

function renamed(value: object, from: string, to: string): object {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name === from ? to : name, item]));
}

function runOf(job: BackupJob): ScheduledRun<BackupJob> {
  const { metadata, status } = job;
  const states = {
    Succeeded: "succeeded",
    Failed: "failed",
    Running: "running",
    Pending: "running",
  } as const;
  return {
    slot: slotOf(job),
    scheduledAt: metadata.annotations?.[ANNOTATIONS.slot],
    backup: job,
    state: metadata.deletionTimestamp ? "leaving" : states[status?.phase ?? "Pending"],
    // What it made is a Backup of its own, which stays.
    holdsData: false,
    held: metadata.annotations?.[ANNOTATIONS.hold] === "true",
  };
}
