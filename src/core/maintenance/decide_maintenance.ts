import type { WantedCondition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Result } from "../../lib/result.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import type { Problem } from "../reconcile/problem.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { recordsOf } from "../reconcile/records.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { readyStateOfTask, shownFailure, shownLog, statusJob } from "../reconcile/task_words.ts";
import type { EndedTask, TaskState } from "../work/task_decision.ts";
import type { BackupOf } from "./check_status.ts";
import { idleState } from "./idle_state.ts";
import { readText } from "./maintained_conditions.ts";
import type { Maintenance, MaintenanceState, RunTimes, Which } from "./maintenance.ts";
import { type MaintenanceRun, MEMORY, purposeOf, whichOf } from "./maintenance_run.ts";
import { missingText } from "./missing_text.ts";
import { ownershipCondition } from "./ownership.ts";
import type { Plan } from "./plan_run.ts";
import { runEnd } from "./run_end.ts";

export interface ObservedMaintenance {
  readonly maintenance: Maintenance;
  /** Why no run may begin. */
  readonly problem?: Problem | undefined;
  /** Why the run is given up. */
  readonly refusal?: Problem | undefined;
  /** Somebody ended it by annotation. */
  readonly stopped: boolean;
  readonly plan: Plan;
  /** What follows for the plan's run; or why there can be none. Absent before the first. */
  readonly task?: Result<TaskPlan, Problem> | undefined;
  /** The engine keeps a maintainer's name in the repository. */
  readonly maintainer: boolean;
  /** What stands for a snapshot, as namespace/name. Default: nothing does. */
  readonly backupOf?: BackupOf;
  /** How a suspension is ended, in the words of the API. */
  readonly resume: string;
  readonly now: number;
}

/** What follows for the maintenance of a repository. */
export function decideMaintenance(observed: ObservedMaintenance): Decision<MaintenanceState> {
  const { maintenance, plan, task, refusal, backupOf = () => undefined, now } = observed;
  const { turn: run } = plan.memory;
  const { status = {} } = maintenance;
  // Nobody has looked at the runs, so that nothing of them may be forgotten.
  if (!task || !run) return idle(observed, { status, plan, records: recordsOf(status) });
  if (!task.ok) {
    const readyState = readyStateOf(task.error);
    const asBefore = { status: { ...status, phase: "Pending" as const }, plan, records: recordsOf(status) };
    return told(observed, { ...asBefore, readyState, wakeAt: wakeFor(task.error, now) });
  }
  const purpose = purposeOf(run);
  const { record, state } = task.value.decision;
  if (state.phase !== "Ended") return underWay(observed, task.value, run, state);
  const doing = carryOut(task.value);
  // The outcome was recorded before, and with it all that is to be said.
  const records = { [purpose]: record };
  if (!state.result) return { ...idle(observed, { status, plan, records }), intents: doing.intents };
  const end = runEnd({ maintenance, memory: plan.memory, run, record, state, refusal, backupOf, now });
  const after = {
    status: { ...end.status, job: statusJob(task.value.task, record) },
    plan: { ...plan, memory: end.memory },
    records,
  };
  const next = end.memory.turn;
  const rest = next && purposeOf(next) !== purpose ? goesOn(observed, after, next) : idle(observed, after);
  return { ...rest, intents: doing.intents, events: [...end.events, ...(rest.events ?? [])], wakeAt: now };
}

function underWay(
  observed: ObservedMaintenance,
  taskPlan: TaskPlan,
  run: MaintenanceRun,
  state: Exclude<TaskState, EndedTask>,
): Decision<MaintenanceState> {
  const { maintenance, plan, now } = observed;
  const { record } = taskPlan.decision;
  const { failure: _, logTail: __, ...kept } = maintenance.status ?? {};
  const failure = shownFailure(maintenance.status?.failure, record.lastFailure, record, now);
  const doing = run.step === "Check" ? "checking the repository" : `doing ${whichOf(run)} maintenance`;
  return told(observed, {
    status: {
      ...kept,
      phase: record.startedAt === undefined ? "Pending" : "Running",
      job: statusJob(taskPlan.task, record),
      ...(failure ? { failure } : {}),
      ...shownLog(maintenance.status, taskPlan.decision),
    },
    plan,
    records: { [purposeOf(run)]: record },
    readyState: readyStateOfTask(state, doing),
    ...carryOut(taskPlan),
  });
}

/** One step of a run is done, and the next one begins at once. */
function goesOn(
  observed: ObservedMaintenance,
  rest: Rest,
  { step }: MaintenanceRun,
): Decision<MaintenanceState> {
  const message = `The repository is ${step === "Check" ? "checked" : "maintained"} next.`;
  const readyState: ReadyState = { state: "reconciling", reason: "Running", message };
  return told(observed, {
    ...rest,
    status: { ...rest.status, phase: "Running" },
    readyState,
    wakeAt: observed.now,
  });
}

type Rest = Pick<Telling, "status" | "plan" | "records">;

function idle(observed: ObservedMaintenance, rest: Rest): Decision<MaintenanceState> {
  const { problem, now } = observed;
  const { phase, readyState } = idleState({ ...observed, ...rest });
  const due = Object.values(rest.plan.next).map(({ at }) => at);
  const wakeAt = problem ? wakeFor(problem, now) : due.length > 0 ? Math.min(...due) : undefined;
  return told(observed, { ...rest, status: { ...rest.status, phase }, readyState, wakeAt });
}

interface Telling {
  readonly status: MaintenanceState;
  readonly plan: Plan;
  /** What is remembered of runs, by purpose. */
  readonly records: Readonly<Record<string, unknown>>;
  readonly readyState: ReadyState;
  readonly intents?: Decision<never>["intents"];
  readonly wakeAt: number | undefined;
}

function told(observed: ObservedMaintenance, telling: Telling): Decision<MaintenanceState> {
  const { maintenance, maintainer, now } = observed;
  const { plan, records, readyState, intents = [], wakeAt } = telling;
  const { generation } = maintenance.metadata;
  const { quick, full, ...kept } = telling.status;
  const status = { ...kept, ...times("quick", quick, plan), ...times("full", full, plan) };
  const conditions = [ownershipCondition(maintenance, status, maintainer), ...health(status)];
  return {
    status: {
      ...status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(plan.handledRequest ? { handledRunRequest: plan.handledRequest } : {}),
      conditions: conditionsFor(maintenance, readyState, conditions, now),
      work: { ...records, [MEMORY]: plan.memory },
    },
    intents,
    events: [...planned(plan), ...newsOf(maintenance, readyState)],
    wakeAt,
  };
}

/** The times of a schedule, with when it is due next. While nothing is decided, what was next is so still. */
function times(which: Which, before: RunTimes | undefined, { next, decided }: Plan): MaintenanceState {
  const { nextScheduledAt, ...kept } = before ?? {};
  const slot = next[which];
  const still = decided ? undefined : nextScheduledAt;
  const all = { ...kept, ...(slot ? { nextScheduledAt: still ?? timestamp(slot.at) } : {}) };
  return Object.keys(all).length > 0 ? { [which]: all } : {};
}

function health({ lastCheck }: MaintenanceState): readonly WantedCondition[] {
  if (!lastCheck) return [];
  const type = CONDITIONS.repositoryHealthy;
  if (lastCheck.healthy) {
    return [
      {
        type,
        status: "True",
        reason: "Checked",
        message: `The check of ${lastCheck.at} found no damage. ${readText(lastCheck)}`,
      },
    ];
  }
  const { missing, problems = [] } = lastCheck;
  if (missing) {
    const message = `The check of ${lastCheck.at} found data missing. ${missingText(missing)}`;
    return [{ type, status: "False", reason: REASONS.dataMissing, message }];
  }
  const message = `The check of ${lastCheck.at} found damage: ${problems.join("; ")}`;
  return [{ type, status: "False", reason: "Corrupt", message }];
}

function planned({ missed, unknownRequest }: Plan): readonly EventNote[] {
  const notes: EventNote[] = (["quick", "full"] as const).flatMap((which) => {
    const skip = missed[which];
    if (!skip) return [];
    const since = timestamp(skip.first);
    const message = `${skip.count} ${which} runs since ${since} were missed; the next one stands for them.`;
    return [{ type: "Warning", reason: "RunsMissed", message }];
  });
  if (unknownRequest === undefined) return notes;
  const message = `The request ${JSON.stringify(unknownRequest)} is not understood. Let it begin with quick, full, full-immediate or check.`;
  return [...notes, { type: "Warning", reason: "UnknownRequest", message }];
}
