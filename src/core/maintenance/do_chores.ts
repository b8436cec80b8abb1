import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Intent } from "../reconcile/decision.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { recordsOf } from "../reconcile/records.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { cut, sentence } from "../reconcile/task_words.ts";
import { planTask } from "../repository/plan_task.ts";
import type { Repository } from "../repository/repository.ts";
import { type RunContext, taskFor } from "../repository/task_for.ts";
import type { EndedTask } from "../work/task_decision.ts";
import {
  afterChore,
  type ChoreMarks,
  type ChoreRun,
  type ChoreSchedule,
  choreCrons,
  choreWork,
  decideChores,
  isChore,
} from "./chores.ts";

const POLICY = { backoffLimit: 1, activeDeadlineSeconds: 14_400 };
/** Until a chore that cannot be planned is looked at again, in milliseconds. */
const LOOK_AGAIN = 300_000;

/** A repository that can be used, with schedules of its own for maintenance. */
export interface ChoresOwner<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T & { readonly status?: object };
  readonly repository: Repository;
  readonly context: RunContext;
  readonly schedule: ChoreSchedule | undefined;
  readonly marks: ChoreMarks | undefined;
  /** What its status remembers of runs, by purpose. */
  readonly work: Readonly<Record<string, unknown>>;
  readonly now: number;
}

export interface DoneChores {
  readonly marks: ChoreMarks;
  readonly work: Readonly<Record<string, unknown>>;
  /** A check has just ended well. */
  readonly checkedAt?: string;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
}

/** Has done what is due on a repository, and says how that stands. */
export async function doChores<T extends KubeObject>(
  room: EngineRoom,
  owner: ChoresOwner<T>,
  signal: AbortSignal,
): Promise<DoneChores> {
  const { object, schedule, work, now } = owner;
  const { uid, creationTimestamp: created } = object.metadata;
  const crons = choreCrons(uid, schedule);
  if (!crons.ok) return { marks: owner.marks ?? {}, work, intents: [] };
  const { status } = object;
  const decided = decideChores({ crons: crons.value, marks: owner.marks, status, created, now });
  const { run, marks, wakeAt } = decided;
  if (!run) return { marks, work, intents: [], wakeAt };
  const plan = await planChore(room, owner, run, signal);
  if (!plan.ok) return { marks, work, intents: [], wakeAt: soonest(wakeAt, now + LOOK_AGAIN) };
  const doing = carryOut(plan.value);
  return {
    ...ended(owner, marks, run, plan.value),
    intents: doing.intents,
    wakeAt: soonest(wakeAt, doing.wakeAt),
  };
}

function planChore<T extends KubeObject>(
  room: EngineRoom,
  { resource, object, repository, context, schedule }: ChoresOwner<T>,
  run: ChoreRun,
  signal: AbortSignal,
) {
  const task = taskFor({ ...context, owner: { resource, object }, purpose: run.purpose }, () => ({
    work: choreWork(run.chore, schedule),
  }));
  const slot = { owner: object, slot: "maintenance", kind: "maintenance", recipe: "maintenance" } as const;
  const request = {
    task,
    status: object.status,
    policy: POLICY,
    slot: { ...slot, exclusive: true, repository },
  };
  return planTask(room, request, signal);
}

function ended<T extends KubeObject>(
  { work, now }: ChoresOwner<T>,
  marks: ChoreMarks,
  run: ChoreRun,
  { decision: { record, state } }: TaskPlan,
): Pick<DoneChores, "marks" | "work" | "checkedAt"> {
  const others = Object.entries(recordsOf({ work })).filter(([purpose]) => !isChore(purpose));
  const known = { ...Object.fromEntries(others), [run.purpose]: record };
  if (state.phase !== "Ended" || !state.result) return { marks, work: known };
  const end = endOf(state);
  const checked = end.succeeded && run.chore !== "prune" ? { checkedAt: timestamp(now) } : {};
  return { marks: afterChore(marks, run, end, now), work: known, ...checked };
}

function endOf({ outcome, result }: EndedTask): { readonly succeeded: boolean; readonly message: string } {
  const message = result?.failure ? sentence(result.failure) : "The run was cancelled.";
  const problems = result?.answer && "check" in result.answer ? result.answer.check.problems : [];
  if (problems.length > 0) {
    const found = `The check found damage: ${problems.join("; ")}. Back up to another repository, and repair this one.`;
    return { succeeded: false, message: cut(found, 1024) };
  }
  return { succeeded: outcome === "Succeeded", message: cut(message, 1024) };
}
