import type { Job } from "../../../kube/builtin.ts";
import type { ErrorClass } from "../../../wire/error_classes.ts";
import { decideTask } from "../decide_task.ts";
import type { ObservedRun } from "../observed_run.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../run_record.ts";
import type { RunTask } from "../run_request.ts";
import type { TaskDecision } from "../task_decision.ts";
import { attemptId, sideId } from "../task_requests.ts";
import type { TaskView } from "../task_view.ts";
import {
  endedJob,
  endedPod,
  failureOfClass,
  JOB_UID,
  observed,
  sampleJob,
  sampleRequest,
  sampleResult,
  sampleTask,
} from "./samples.ts";

export const now = Date.parse("2026-01-01T01:00:00Z");
export const iso = (ms: number) => new Date(ms).toISOString();
/** The IDs of the sample task's attempts, and of what asks about the first one and cleans up after it. */
export const ID = sampleRequest.id;
export const SECOND = attemptId(sampleTask, 2);
export const SETTLE = sideId(sampleTask, "Settle", 1);
export const CLEAN = sideId(sampleTask, "CleanUp", 2);
export const restore: RunTask = {
  ...sampleTask,
  purpose: "restore",
  work: { ...sampleTask.work, work: { restore: { snapshot: { id: "k1" }, target: "/t" } } },
};

/** What is decided about the sample task. */
export const decide = (view: Partial<TaskView> = {}): TaskDecision =>
  decideTask({ task: sampleTask, policy: {}, runs: [], now, ...view });
/** The first attempt is under way. */
export const noted: RunRecord = { ...FIRST_ATTEMPT, job: JOB_UID, startedAt: iso(now - 60_000) };
export const suspended = (job: Job = sampleJob()): Job => ({
  ...job,
  spec: { ...job.spec, suspend: true, template: {} },
});
export const named = (id: string, job: Job): Job => ({ ...job, metadata: { ...job.metadata, name: id } });

/** The current run has ended with this report. */
export function reported(failure?: ErrorClass, more: object = {}, id: string = ID): ObservedRun {
  const result = sampleResult({ ...(failure ? { failure: failureOfClass(failure) } : {}), ...more }, id);
  const job = named(id, endedJob(failure ? "BackoffLimitExceeded" : "CompletionsReached"));
  return observed({ job, pod: endedPod(failure ? 38 : 0), report: { result, logTail: ["end"] } }, id);
}
/** What a mover reports that got as far as the repository. */
export const repository = { id: "r", created: false };
/** The run was killed, and left no report. */
export const lost = (id: string = ID): ObservedRun =>
  observed({ job: named(id, endedJob("BackoffLimitExceeded")), pod: endedPod(137) }, id);
