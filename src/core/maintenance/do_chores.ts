import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { WantedCondition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Answer, CheckAnswer } from "../../wire/report.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Intent } from "../reconcile/decision.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { recordsOf } from "../reconcile/records.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { cut, sentence } from "../reconcile/task_words.ts";
import { planTask } from "../repository/plan_task.ts";
import type { Repository } from "../repository/repository.ts";
import { type RunContext, taskFor } from "../repository/task_for.ts";
import type { EndedTask } from "../work/task_decision.ts";
import { checkOf } from "./check_status.ts";
import {
  afterChore,
  blockedChore,
  type ChoreEnd,
  type ChoreMarks,
  type ChoreRun,
  type ChoreSchedule,
  choreCrons,
  choreWork,
  decideChores,
  isChore,
} from "./chores.ts";
import { isDamageRead, readText } from "./maintained_conditions.ts";
import { MISSING_REMEDY, missingText } from "./missing_text.ts";

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
  /** What the repository says of its data from now on. Absent where it says what it did. */
  readonly intact?: WantedCondition;
  readonly events: readonly EventNote[];
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
  const nothing = { work, events: [], intents: [] };
  if (!crons.ok) return { ...nothing, marks: owner.marks ?? {} };
  const { status } = object;
  const damaged = owner.repository.status?.conditions?.some(isDamageRead) ?? false;
  const decided = decideChores({ crons: crons.value, marks: owner.marks, status, created, damaged, now });
  const { run, marks, wakeAt } = decided;
  if (!run) return { ...nothing, marks, wakeAt };
  const plan = await planChore(room, owner, run, signal);
  if (!plan.ok) {
    const { reason } = plan.error;
    const message = cut(plan.error.message, 1024);
    const said = marks[run.chore]?.error === message;
    return {
      ...nothing,
      marks: blockedChore(marks, run, message),
      events: said ? [] : [{ type: "Warning", reason, message }],
      wakeAt: soonest(wakeAt, now + LOOK_AGAIN),
    };
  }
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
    work: choreWork(run, schedule),
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
): Omit<DoneChores, "intents" | "wakeAt"> {
  const others = Object.entries(recordsOf({ work })).filter(([purpose]) => !isChore(purpose));
  const known = { ...Object.fromEntries(others), [run.purpose]: record };
  if (state.phase !== "Ended" || !state.result) return { marks, work: known, events: [] };
  const end = endOf(state);
  const { succeeded, message } = end;
  const checked = succeeded && run.chore !== "prune" ? { checkedAt: timestamp(now) } : {};
  const reason = end.damage ? DAMAGE : (state.result.failure?.class ?? REASONS.cancelled);
  const failed = succeeded ? [] : [{ type: "Warning", reason, message } as const];
  const sound = succeeded && run.whole ? { intact: SOUND } : {};
  const events = sound.intact
    ? [{ type: "Normal", reason: "Intact", message: SOUND.message } as const]
    : failed;
  return { marks: afterChore(marks, run, end, now), work: known, ...checked, ...sound, events };
}

const DAMAGE = "Corrupt";

const SOUND: WantedCondition = {
  type: CONDITIONS.intact,
  status: "True",
  reason: "Checked",
  message: `The last check found no damage. ${readText({ dataPercent: 100 })}`,
};

function endOf({ outcome, result }: EndedTask): ChoreEnd {
  const { check } = checkIn(result?.answer);
  const missing = check && checkOf(check, { backupOf: () => undefined, dataPercent: 0, now: 0 }).missing;
  if (missing) {
    const message = cut(`${missingText(missing)} ${MISSING_REMEDY}`, 1024);
    return { succeeded: false, message, damage: true };
  }
  if (check && check.problems.length > 0) {
    const found = `The check found damage: ${check.problems.join("; ")}. Back up to another repository, and repair this one.`;
    return { succeeded: false, message: cut(found, 1024), damage: true };
  }
  const message = result?.failure ? sentence(result.failure) : "The run was cancelled.";
  const damage = result?.failure?.class === DAMAGE ? { damage: true } : {};
  return { succeeded: outcome === "Succeeded", message: cut(message, 1024), ...damage };
}

/** What a check found, whether it was asked for or followed something else. */
function checkIn(answer: Answer | undefined): { readonly check?: CheckAnswer } {
  if (answer && "check" in answer) return { check: answer.check };
  return answer && "maintain" in answer ? answer.maintain : {};
}
