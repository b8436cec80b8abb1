import type { JobCondition, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { Job, Pod } from "../../../kube/builtin.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";

/** A Job's pod is kept until its end has been counted. */
export const TRACKING = "batch.kubernetes.io/job-tracking";

export interface JobView {
  readonly job: Job;
  /** The pods that the Job controls. */
  readonly pods: readonly Pod[];
  readonly now: number;
}

/** What happened, for the Job's events. */
export interface JobNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface JobPlan {
  /** How many pods to make, before anything else. */
  readonly create: number;
  /** The status, to which the pods made now are to be added as active ones. */
  readonly status: JobStatus;
  readonly remove: readonly Pod[];
  /** Pods whose end is noted in the status, or is not to count: once the status is written they may go. */
  readonly release: readonly Pod[];
  readonly notes: readonly JobNote[];
  /** The Job's time is up: it goes. */
  readonly expired: boolean;
  /** When to look again, if nothing changes sooner. */
  readonly wakeAt: number | undefined;
}

const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 600_000;
const REACHED = { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
const TOO_MANY = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
const TOO_LATE = { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" };

interface Uncounted {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}

/**
 * What a Job needs next. Pure. Ends of pods are counted in two steps: their uids are noted in the status, then
 * the pods are released, and a later plan, which no longer finds them held, turns the notes into counts.
 */
export function planJob({ job, pods, now }: JobView): JobPlan {
  const { spec, status: before = {} } = job;
  if (isFinished(job)) return afterwards({ job, pods, now });

  const { succeeded, failed, uncounted } = count(job, pods);
  const newlySucceeded = uncounted.succeeded.length;
  const newlyFailed = uncounted.failed.length;
  const active = pods.filter((pod) => isActive(pod) && !pod.metadata.deletionTimestamp);
  const terminating = pods.filter((pod) => isActive(pod) && pod.metadata.deletionTimestamp);
  const suspended = spec?.suspend === true;

  const conditions = [...(before.conditions ?? [])];
  const notes: JobNote[] = [];
  const set = (type: string, status: "True" | "False", why: { reason: string; message: string }) => {
    const time = timestamp(now);
    const condition: JobCondition = { type, status, ...why, lastProbeTime: time, lastTransitionTime: time };
    const at = conditions.findIndex((other) => other.type === type);
    if (at >= 0) conditions[at] = condition;
    else conditions.push(condition);
  };
  const has = (type: string) => conditions.find((c) => c.type === type && c.status === "True");

  let startTime = before.startTime;
  if (suspended && !has("Suspended")) {
    set("Suspended", "True", { reason: "JobSuspended", message: "Job suspended" });
    notes.push({ type: "Normal", reason: "Suspended", message: "Job suspended" });
  } else if (!suspended && has("Suspended")) {
    set("Suspended", "False", { reason: "JobResumed", message: "Job resumed" });
    notes.push({ type: "Normal", reason: "Resumed", message: "Job resumed" });
    startTime = timestamp(now);
  }
  if (!suspended) startTime ??= timestamp(now);

  const deadline =
    spec?.activeDeadlineSeconds === undefined || suspended || !startTime
      ? undefined
      : Date.parse(startTime) + spec.activeDeadlineSeconds * 1000;
  const failures = failed + newlyFailed;
  const successes = succeeded + newlySucceeded;
  const wanted = spec?.completions ?? (successes > 0 && active.length === 0 ? successes : Infinity);
  const target = has("FailureTarget");
  if (!target && !has("SuccessCriteriaMet")) {
    if (failures > (spec?.backoffLimit ?? 6) || tooManyRestarts(job, active))
      set("FailureTarget", "True", TOO_MANY);
    else if (deadline !== undefined && now >= deadline) set("FailureTarget", "True", TOO_LATE);
    else if (successes >= wanted) set("SuccessCriteriaMet", "True", REACHED);
  }
  const ending = has("FailureTarget") ?? has("SuccessCriteriaMet");
  const remove = ending || suspended ? active : [];
  const allCounted = newlySucceeded + newlyFailed === 0;
  const remaining = active.length - remove.length;
  let completionTime = before.completionTime;
  if (ending && allCounted && active.length + terminating.length === 0) {
    const { reason = "", message = "" } = ending;
    const completed = ending.type === "SuccessCriteriaMet";
    set(completed ? "Complete" : "Failed", "True", { reason, message });
    if (completed) completionTime = timestamp(now);
    notes.push(
      completed
        ? { type: "Normal", reason: "Completed", message: "Job completed" }
        : { type: "Warning", reason, message },
    );
  }

  const replacing = spec?.podReplacementPolicy === "Failed" ? terminating.length : 0;
  const room = Math.min(spec?.parallelism ?? 1, wanted - successes) - remaining - replacing;
  const due = retryTime(pods, failures);
  const mayCreate = !ending && !suspended && room > 0 && allCounted;
  const create = mayCreate && now >= due ? room : 0;
  const wakes = [...(deadline === undefined ? [] : [deadline]), ...(mayCreate && now < due ? [due] : [])];

  const status = without({
    ...before,
    active: remaining || undefined,
    ready: active.filter((pod) => !remove.includes(pod) && isReady(pod)).length,
    terminating: terminating.length + remove.length,
    succeeded: succeeded || undefined,
    failed: failed || undefined,
    startTime,
    completionTime,
    conditions: conditions.length > 0 ? conditions : undefined,
    uncountedTerminatedPods: without({
      succeeded: newlySucceeded > 0 ? [...uncounted.succeeded] : undefined,
      failed: newlyFailed > 0 ? [...uncounted.failed] : undefined,
    }),
  });
  const noted = new Set([...uncounted.succeeded, ...uncounted.failed]);
  return {
    status,
    release: pods.filter(
      (pod) => isHeld(pod) && (noted.has(pod.metadata.uid) || (suspended && remove.includes(pod))),
    ),
    remove,
    create,
    notes,
    expired: false,
    wakeAt: wakes.length > 0 ? Math.min(...wakes) : undefined,
  };
}

/** True once a Job is complete or has failed for good. */
export function isFinished({ status }: Job): boolean {
  return finishedAt(status) !== undefined;
}

/** A finished Job lets go of its pods and, when it says so, goes itself. */
function afterwards({ job, pods, now }: JobView): JobPlan {
  const ttl = job.spec?.ttlSecondsAfterFinished;
  const end = ttl === undefined ? undefined : (finishedAt(job.status) ?? now) + ttl * 1000;
  const expired = end !== undefined && now >= end;
  return {
    status: job.status ?? {},
    release: pods.filter(isHeld),
    remove: pods.filter((pod) => isActive(pod) && !pod.metadata.deletionTimestamp),
    create: 0,
    notes: [],
    expired,
    wakeAt: expired ? undefined : end,
  };
}

function finishedAt(status: JobStatus | undefined): number | undefined {
  const condition = status?.conditions?.find(
    ({ type, status: value }) => (type === "Complete" || type === "Failed") && value === "True",
  );
  return condition && Date.parse(condition.lastTransitionTime ?? "");
}

/** The counts with every noted pod that is no longer held, and the notes with every pod that has ended since. */
function count(job: Job, pods: readonly Pod[]): { succeeded: number; failed: number; uncounted: Uncounted } {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: noted = {} } = job.status ?? {};
  const held = new Map(pods.filter(isHeld).map((pod) => [pod.metadata.uid, pod]));
  const split = (uids: readonly string[] = []) => uids.filter((uid) => held.has(uid));
  const still = { succeeded: split(noted.succeeded), failed: split(noted.failed) };
  const known = new Set([...(noted.succeeded ?? []), ...(noted.failed ?? [])]);
  const fresh = [...held.values()].filter(({ metadata }) => !known.has(metadata.uid));
  const uids = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.uid);
  return {
    succeeded: succeeded + (noted.succeeded?.length ?? 0) - still.succeeded.length,
    failed: failed + (noted.failed?.length ?? 0) - still.failed.length,
    uncounted: {
      succeeded: [...still.succeeded, ...uids(fresh.filter(({ status }) => status?.phase === "Succeeded"))],
      failed: [...still.failed, ...uids(fresh.filter((pod) => hasFailed(job, pod)))],
    },
  };
}

/** Unless only those that have ended are replaced, a pod that is being deleted counts at once. */
function hasFailed({ spec }: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === "Failed") return true;
  const policy = spec?.podReplacementPolicy ?? "TerminatingOrFailed";
  return policy !== "Failed" && metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded";
}

function isActive({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

function isHeld({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) ?? false;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
}

/** Pods that restart their containers themselves fail the Job by their restarts. */
function tooManyRestarts({ spec }: Job, active: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = active
    .flatMap(({ status }) => [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** When the next pod may be made: later after each failure. */
function retryTime(pods: readonly Pod[], failures: number): number {
  if (failures === 0) return 0;
  const ends = pods
    .flatMap(({ status }) => (status?.phase === "Failed" ? (status.containerStatuses ?? []) : []))
    .map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ""))
    .filter((time) => !Number.isNaN(time));
  return Math.max(0, ...ends) + Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failures - 1));
}

/** The fields that have a value. */
function without<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}
