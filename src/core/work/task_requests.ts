import type { Work } from "../../wire/work.ts";
import { DEFAULT_GRACE } from "./mover_job.ts";
import { runId } from "./run_id.ts";
import { MOST_UNSEEN, type RunRecord, type RunStep } from "./run_record.ts";
import { attemptOf, type RunRequest, type RunTask } from "./run_request.ts";

/** How long the repository is asked, or put in order, in seconds. */
const SIDE_DEADLINE = 1800;
/** What the mover gets beyond its own deadline, to clean up and report before it is ended from outside. */
const SPARE = 30;
/** As many runs that have ended are named to the next one: the newest. */
const MOST_ENDED = 20;

const SIDE_PURPOSE: Readonly<Record<Exclude<RunStep, "Work">, string>> = {
  Settle: "settle",
  CleanUp: "clean",
};

/** The ID of an attempt at the task itself. */
export function attemptId({ owner, purpose }: RunTask, attempt: number): string {
  return runId({ owner, purpose, attempt });
}

/** The ID of a run that asks about an attempt or cleans up after it. */
export function sideId({ owner, purpose }: RunTask, step: Exclude<RunStep, "Work">, side: number): string {
  return runId({ owner, purpose: `${purpose}-${SIDE_PURPOSE[step]}`, attempt: side });
}

/** The request of the step that the record is at. `remaining`: seconds until the task's deadline. */
export function currentRequest(task: RunTask, record: RunRecord, remaining?: number): RunRequest {
  const request = requestOf(task, record, remaining);
  const endedRuns = endedOf(task, record).slice(-MOST_ENDED);
  return endedRuns.length === 0 ? request : { ...request, work: { ...request.work, endedRuns } };
}

/** A mover that nobody saw end may be at work, and has its locks for a reason. */
function endedOf(task: RunTask, record: RunRecord): readonly string[] {
  const unseen = new Set(record.unseen);
  // Others may have been forgotten.
  if (unseen.size >= MOST_UNSEEN) return [];
  return [...pastRuns(task, record)].filter((id) => !unseen.has(id));
}

function requestOf(task: RunTask, record: RunRecord, remaining?: number): RunRequest {
  const { attempt, step } = record;
  if (step !== "Work") return sideRequest(task, step, record);
  const request = attemptOf(task, attempt);
  if (remaining === undefined) return request;
  const deadlineSeconds = Math.min(remaining, request.work.deadlineSeconds ?? remaining);
  const timed = { ...request, work: { ...request.work, deadlineSeconds } };
  // A Job's time counts from its own start: only the mover knows when it was told to start.
  return task.startsBySignal ? timed : { ...timed, activeDeadlineSeconds: remaining + grace(task) + SPARE };
}

function sideRequest(task: RunTask, step: Exclude<RunStep, "Work">, record: RunRecord): RunRequest {
  const { attempt, side = 1, leftovers = [] } = record;
  const about = attemptId(task, attempt);
  const { owner, namespace, pool, labels, secrets, repositoryVolume } = task;
  // It mounts no volume of a node, whose node may be dead by now.
  const { nodeName: _, ...mover } = task.mover;
  const { engine, repository } = task.work;
  const work: Work =
    step === "Settle"
      ? { catalog: { filter: { run: about } } }
      : { delete: { snapshots: [], runs: [...new Set([...leftovers, about])] } };
  return {
    owner,
    namespace,
    secrets,
    mover,
    ...(pool === undefined ? {} : { pool }),
    ...(labels ? { labels } : {}),
    ...(repositoryVolume ? { repositoryVolume } : {}),
    id: sideId(task, step, side),
    work: { engine, repository, work, deadlineSeconds: SIDE_DEADLINE },
    activeDeadlineSeconds: SIDE_DEADLINE + grace(task) + SPARE,
  };
}

function grace({ mover }: RunTask): number {
  return mover.terminationGracePeriodSeconds ?? DEFAULT_GRACE;
}

/** The runs that the record has gone past: whatever they had to say is in it. */
export function pastRuns(task: RunTask, record: RunRecord): ReadonlySet<string> {
  const { attempt, step, side = 0, outcome } = record;
  const over = outcome !== undefined;
  const past = new Set<string>();
  for (let n = 1; n < attempt || (n === attempt && (over || step !== "Work")); n++)
    past.add(attemptId(task, n));
  for (let n = 1; n < side || (n === side && (over || step === "Work")); n++) {
    past.add(sideId(task, "Settle", n));
    past.add(sideId(task, "CleanUp", n));
  }
  return past;
}
