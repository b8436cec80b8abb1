import type { Decision } from "../../../core/reconcile/decision.ts";
import {
  conditionsFor,
  newsOf,
  type ReadyState,
  readyStateOf,
  wakeFor,
} from "../../../core/reconcile/ready_state.ts";
import type { BackupJob, BackupJobStatus } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { RestoreJob } from "../../../kinds/cozystack/generated/restore_job.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { OwnIntent, Step } from "./driver.ts";

/** What a step means for the job that it was taken for, by the contract between core and drivers. */
export function decideDriven(
  job: BackupJob | RestoreJob,
  step: Step,
  now: number,
): Decision<BackupJobStatus, OwnIntent> {
  const { generation, name } = job.metadata;
  const { driverState, ...kept } = job.status ?? {};
  const { startedAt = timestamp(now) } = kept;
  const written = (more: BackupJobStatus, state: ReadyState, rest: object = {}) => ({
    status: {
      ...kept,
      ...more,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      conditions: [...conditionsFor(job, state, [], now)],
    },
    events: newsOf(job, state),
    intents: "intents" in step ? (step.intents ?? []) : [],
    ...rest,
  });
  const { message } = step.type === "Waiting" ? step.problem : step;
  const ended = { startedAt, completedAt: timestamp(now), message };
  switch (step.type) {
    case "Waiting": {
      // It is this driver's from its first look on: the core says nothing of it any more.
      const { problem } = step;
      const more = { phase: "Running", startedAt, message, ...(driverState ? { driverState } : {}) } as const;
      return written(more, readyStateOf(problem), { wakeAt: wakeFor(problem, now) });
    }
    case "Running": {
      const state = step.state ?? driverState;
      const more = {
        phase: "Running",
        startedAt,
        message,
        ...(state ? { driverState: state } : {}),
      } as const;
      return written(more, { state: "reconciling", reason: "Running", message }, { wakeAt: step.wakeAt });
    }
    case "Succeeded": {
      const made = job.kind === "BackupJob" ? { backupRef: { name } } : {};
      return written(
        { phase: "Succeeded", ...ended, ...made },
        { state: "ready", reason: "Succeeded", message },
      );
    }
    case "Failed":
      return written({ phase: "Failed", ...ended }, { state: "stalled", reason: step.reason, message });
  }
}
