import type { Decision } from "../../../core/reconcile/decision.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { waits } from "../../../core/reconcile/problem.ts";
import {
  conditionsFor,
  newsOf,
  type ReadyState,
  readyStateOf,
  wakeFor,
} from "../../../core/reconcile/ready_state.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupClass } from "../../../kinds/cozystack/generated/backup_class.ts";
import type { BackupJob, BackupJobStatus } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { RestoreJob, RestoreJobStatus } from "../../../kinds/cozystack/generated/restore_job.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { type Resolved, resolveClass, strategyWithGroup } from "./resolve_class.ts";
import { elsewhereViolation } from "./restore_consent.ts";

/** After so long without a driver, somebody should look whether it runs. */
const PATIENCE = 600_000;

export interface ObservedJob {
  readonly job: BackupJob;
  readonly class: BackupClass | undefined;
  readonly now: number;
}

/** What the core says of a BackupJob: by which strategy it runs. From then on the job is the driver's. */
export function decideJob({ job, class: found, now }: ObservedJob): Decision<BackupJobStatus> {
  if (isTaken(job)) return { intents: [] };
  const { strategyRef, parameters = {} } = job.status ?? {};
  // What was resolved once holds, whatever becomes of the class.
  const resolved = strategyRef
    ? ok({ strategyRef: strategyWithGroup(strategyRef), parameters })
    : resolveClass(job.spec.applicationRef, job.spec.backupClassName, found);
  return handedOver(job, resolved, now);
}

export interface ObservedRestoreJob {
  readonly job: RestoreJob;
  readonly backup: Backup | undefined;
  /** Why it may not restore into the namespace that it names. */
  readonly forbidden?: Problem | undefined;
  readonly now: number;
}

/** What the core says of a RestoreJob: by which strategy it runs, which is that of its Backup. */
export function decideRestoreJob(observed: ObservedRestoreJob): Decision<RestoreJobStatus> {
  const { job, backup, forbidden, now } = observed;
  // A driver takes what has a strategy: none is named before the namespace consents.
  if (isTaken(job)) return { intents: [] };
  return handedOver(job, forbidden ? err(forbidden) : restorable(job, backup), now);
}

function restorable(job: RestoreJob, backup: Backup | undefined): Result<Resolved, Problem> {
  const { name } = job.spec.backupRef;
  if (!backup || backup.metadata.deletionTimestamp) {
    return err(
      waits("BackupNotFound", `Backup ${name} does not exist. Create another RestoreJob for one that does.`),
    );
  }
  if (backup.status?.phase !== "Ready") {
    const phase = backup.status?.phase ?? "Pending";
    return err(waits("BackupNotReady", `Backup ${name} is ${phase}. The restore begins when it is Ready.`));
  }
  const elsewhere = elsewhereViolation(job, backup);
  if (elsewhere) return err(problemOf(elsewhere));
  return ok({ strategyRef: strategyWithGroup(backup.spec.strategyRef), parameters: {} });
}

function isTaken({ status }: BackupJob | RestoreJob): boolean {
  return status?.startedAt !== undefined || (status?.phase !== undefined && status.phase !== "Pending");
}

function handedOver(
  job: BackupJob | RestoreJob,
  resolved: Result<Resolved, Problem>,
  now: number,
): Decision<BackupJobStatus> {
  if (!resolved.ok) {
    const problem = resolved.error;
    const state = readyStateOf(problem);
    const ended =
      problem.class === "terminal"
        ? ({ phase: "Failed", completedAt: timestamp(now) } as const)
        : ({ phase: "Pending" } as const);
    return said(job, { ...ended, message: problem.message }, state, now, wakeFor(problem, now));
  }
  const { strategyRef, parameters } = resolved.value;
  const driver = `${strategyRef.kind} of ${strategyRef.apiGroup}`;
  const late = now - Date.parse(job.metadata.creationTimestamp) >= PATIENCE;
  const state: ReadyState = late
    ? {
        state: "reconciling",
        reason: "NoDriver",
        message: `No driver for ${driver} has taken this job for 10 minutes. Check that it runs.`,
        warning: true,
      }
    : { state: "reconciling", reason: "WaitingForDriver", message: `Waiting for the driver for ${driver}.` };
  const status = { phase: "Pending", message: state.message, strategyRef, parameters } as const;
  const wakeAt = late ? undefined : Date.parse(job.metadata.creationTimestamp) + PATIENCE;
  return said(job, status, state, now, wakeAt);
}

function said(
  job: BackupJob | RestoreJob,
  more: BackupJobStatus,
  state: ReadyState,
  now: number,
  wakeAt: number | undefined,
): Decision<BackupJobStatus> {
  const { generation } = job.metadata;
  return {
    status: {
      ...job.status,
      ...more,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      conditions: [...conditionsFor(job, state, [], now)],
    },
    intents: [],
    events: newsOf(job, state),
    wakeAt,
  };
}
