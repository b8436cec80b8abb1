import type { ContainerStateTerminated } from "kubernetes-types/core/v1.d.ts";
import type { Job, Pod } from "../../kube/builtin.ts";
import { ERROR_CLASSES, type ErrorClass } from "../../wire/error_classes.ts";
import { classOfExit } from "../../wire/exit_codes.ts";
import { REPORT_VERSION, type Result } from "../../wire/report.ts";
import { moverContainer } from "./mover_container.ts";
import { parseTermination } from "./mover_report.ts";
import type { ObservedRun } from "./observed_run.ts";
import type { EndedRun, LossReason, LostRun, PreparedRun, RunningRun, RunState } from "./run_state.ts";
import { isCancelled } from "./runs.ts";
import { whyNoPod, whyNotStarted } from "./why_waiting.ts";

/** Where a run is. Pure. */
export function stateOfRun(run: ObservedRun): RunState {
  const { job, pod } = run;
  if (pod) return withPod(run, pod);
  if (run.report.result) return ended(run, run.report.result, "Report");
  if (!job) return { phase: "Absent" };
  const failed = finished(job);
  if (failed?.reason === "DeadlineExceeded") return outOfTime(run);
  if (failed || isCancelled(job))
    return { ...lost(run, "PodGone", "The mover's pod is gone, and left no report"), unseen: true };
  if (job.spec?.suspend) return { phase: "Preparing", suspended: true };
  return whyNoPod(run.events) ?? { phase: "Preparing", suspended: false };
}

function withPod(run: ObservedRun, pod: Pod): RunState {
  const container = moverContainer(pod);
  if (container.type === "ended") return withEnd(run, pod, container.terminated);
  if (container.type === "running") return running(run, pod, container.startedAt);
  if (pod.metadata.deletionTimestamp) return running(run, pod, undefined);
  return whyNotStarted(pod, run.events) ?? { phase: "Preparing", suspended: false };
}

function running({ report }: ObservedRun, pod: Pod, startedAt: string | undefined): RunningRun | PreparedRun {
  const { progress, logTail } = report;
  const { nodeName: node } = pod.spec ?? {};
  const where = { pod: pod.metadata.name, ...(node ? { node } : {}) };
  if (progress?.step === "Prepared" && !pod.metadata.deletionTimestamp)
    return { phase: "Prepared", ...where, logTail };
  return {
    phase: "Running",
    ...where,
    ...(startedAt ? { startedAt } : {}),
    ...(progress ? { progress } : {}),
    logTail,
    terminating: pod.metadata.deletionTimestamp !== undefined,
  };
}

function withEnd(run: ObservedRun, pod: Pod, terminated: ContainerStateTerminated | undefined): RunState {
  const told = run.report.result ?? ownWords(run, terminated);
  if (told) return ended(run, told, "Report");
  const end = withoutReport(run, pod, terminated);
  // Only a node knows how a container ended: without its word the pod was given up.
  return terminated ? end : { ...end, unseen: true };
}

function withoutReport(
  run: ObservedRun,
  pod: Pod,
  terminated: ContainerStateTerminated | undefined,
): EndedRun | LostRun {
  const { exitCode, reason } = terminated ?? {};
  if (reason === "OOMKilled") {
    const limit = pod.spec?.containers[0]?.resources?.limits?.memory;
    const message = `The mover was killed for lack of memory${limit ? `: it may use ${limit}` : ""}`;
    return ended(run, failed(run, "OutOfMemory", message, terminated), "Container");
  }
  const used = ownRoomUsedUp(pod);
  if (used) return ended(run, failed(run, "CacheFull", used, terminated), "Container");
  if (run.job && finished(run.job)?.reason === "DeadlineExceeded") return outOfTime(run, terminated);
  const disruption = disruptionOf(pod);
  if (disruption) return lost(run, "Evicted", `The mover's pod was ended by the cluster: ${disruption}`);
  const exitClass = exitCode === undefined ? undefined : classOfExit(exitCode);
  if (exitClass) {
    const message = `The mover failed with exit code ${exitCode}, and its report is gone`;
    return ended(run, failed(run, exitClass, message, terminated), "Container");
  }
  if (exitCode === undefined || reason === "ContainerStatusUnknown" || exitCode > 128) {
    const how = exitCode === undefined ? "" : ` (exit code ${exitCode})`;
    return lost(run, "Killed", `The mover was killed${how} before it could report`);
  }
  return lost(run, "Crashed", `The mover ended with exit code ${exitCode}, and without a report`);
}

function ownWords(run: ObservedRun, terminated: ContainerStateTerminated | undefined): Result | undefined {
  const result = parseTermination(terminated?.message);
  return result?.run === run.id ? result : undefined;
}

function ended(run: ObservedRun, result: Result, source: EndedRun["source"]): EndedRun {
  return { phase: "Ended", result: putRight(run, result), source, logTail: run.report.logTail };
}

/** A mover that is told to end knows only that; who told it, and why, shows on its Job and its pod. */
function putRight({ job, pod }: ObservedRun, result: Result): Result {
  if (result.failure?.class !== "Cancelled" || (job && isCancelled(job))) return result;
  const told = (known: ErrorClass, message: string): Result => ({
    ...result,
    failure: { class: known, message, remedy: ERROR_CLASSES[known].remedy },
  });
  const used = pod && ownRoomUsedUp(pod);
  if (used) return told("CacheFull", used);
  if (job && finished(job)?.reason === "DeadlineExceeded")
    return told("Deadline", "The work took longer than it may");
  return told("Interrupted", "The mover was told to end, and not by the operator");
}

function outOfTime(run: ObservedRun, terminated?: ContainerStateTerminated): EndedRun {
  const { failed: pods = 0, uncountedTerminatedPods } = run.job?.status ?? {};
  const started = run.pod !== undefined || pods > 0 || (uncountedTerminatedPods?.failed?.length ?? 0) > 0;
  const message = started
    ? "The work took longer than it may"
    : "The mover's pod could not be made before the time for the work was over";
  const end = ended(run, failed(run, "Deadline", message, terminated), started ? "Container" : "NotStarted");
  return started && !terminated ? { ...end, unseen: true } : end;
}

function lost(run: ObservedRun, why: LossReason, message: string): LostRun {
  return { phase: "Lost", why, message, logTail: run.report.logTail };
}

function failed(
  { id, job }: ObservedRun,
  known: ErrorClass,
  message: string,
  terminated: ContainerStateTerminated | undefined,
): Result {
  const created = job?.metadata.creationTimestamp ?? "";
  const startedAt = terminated?.startedAt ?? job?.status?.startTime ?? created;
  return {
    version: REPORT_VERSION,
    run: id,
    startedAt,
    endedAt: terminated?.finishedAt ?? finishedAt(job) ?? startedAt,
    failure: { class: known, message, remedy: ERROR_CLASSES[known].remedy },
  };
}

interface Finish {
  readonly reason: string;
  readonly at?: string;
}

/** How a Job ended; undefined while it has not. */
function finished({ status }: Job): Finish | undefined {
  const condition = status?.conditions?.find(
    ({ type, status: value }) => (type === "Complete" || type === "Failed") && value === "True",
  );
  if (!condition) return undefined;
  const { reason = "", lastTransitionTime: at } = condition;
  return { reason, ...(at ? { at } : {}) };
}

function finishedAt(job: Job | undefined): string | undefined {
  return job && finished(job)?.at;
}

/** Whether the Job is complete or has failed. */
export function isFinished(job: Job): boolean {
  return finished(job) !== undefined;
}

/** The kubelet ended the pod since it wrote more to the node's disk than its own limits allow. */
function ownRoomUsedUp({ status }: Pod): string | undefined {
  const { reason, message = "" } = status ?? {};
  if (reason !== "Evicted" || !OWN_LIMITS.test(message)) return undefined;
  return `The mover wrote more to its node's disk than it may: ${message.trim()}`;
}

/** The kubelet's words for the limit of an emptyDir, of a container, and of all containers. */
const OWN_LIMITS =
  /^(Usage of EmptyDir volume|Container \S+ exceeded its local ephemeral storage limit|Pod ephemeral local storage usage exceeds)/;

/** Why the cluster, and not the mover, ended the pod. */
function disruptionOf({ status }: Pod): string | undefined {
  const target = status?.conditions?.find(
    ({ type, status: value }) => type === "DisruptionTarget" && value === "True",
  );
  if (target) return target.message ?? target.reason ?? "it had to make room";
  const { reason, message } = status ?? {};
  return reason && reason !== "DeadlineExceeded" ? (message ?? reason) : undefined;
}
