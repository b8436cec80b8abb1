import type { EndedTask, TaskState } from "../../../core/work/task_decision.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Maintenance, MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Result } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import type { Problem } from "../problem.ts";
import { recordsOf } from "../records.ts";
import { shownFailure, shownLog, standOfTask, statusJob } from "../run_words.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import type { BackupOf } from "./check_status.ts";
import { idleStand } from "./idle_stand.ts";
import { missingText } from "./missing_text.ts";
import { ownershipCondition } from "./ownership.ts";
import type { Plan } from "./plan_turn.ts";
import { MEMORY, purposeOf, type Turn, type Which, whichOf } from "./turn.ts";
import { turnEnd } from "./turn_end.ts";

export interface ObservedMaintenance {
  readonly maintenance: Maintenance;
  /** Why no run may begin. */
  readonly problem?: Problem | undefined;
  /** Why the turn is given up. */
  readonly refusal?: Problem | undefined;
  /** Somebody ended it by annotation. */
  readonly stopped: boolean;
  readonly plan: Plan;
  /** What follows for the run of the plan's turn; or why there can be none. Absent before the first turn. */
  readonly run?: Result<Outlook, Problem> | undefined;
  /** The engine keeps a maintainer's name in the repository. */
  readonly maintainer: boolean;
  /** The Backup that stands for a snapshot, as namespace/name, if there is one. Default: there is none. */
  readonly backupOf?: BackupOf;
  readonly now: number;
}

/** What follows for a Maintenance. */
export function decideMaintenance(observed: ObservedMaintenance): Decision<MaintenanceStatus> {
  const { maintenance, plan, run, refusal, backupOf = () => undefined, now } = observed;
  const { turn } = plan.memory;
  const { status = {} } = maintenance;
  // Nobody has looked at the runs, so that nothing of them may be forgotten.
  if (!run || !turn) return idle(observed, { status, plan, records: recordsOf(status) });
  if (!run.ok) {
    const stand = standOf(run.error);
    const asBefore = { status: { ...status, phase: "Pending" as const }, plan, records: recordsOf(status) };
    return told(observed, { ...asBefore, stand, wakeAt: wakeFor(run.error, now) });
  }
  const purpose = purposeOf(turn);
  const { record, state } = run.value.decision;
  if (state.phase !== "Ended") return underWay(observed, run.value, turn, state);
  const doing = carryOut(run.value);
  // The outcome was recorded before, and with it all that is to be said.
  const records = { [purpose]: record };
  if (!state.result) return { ...idle(observed, { status, plan, records }), intents: doing.intents };
  const end = turnEnd({ maintenance, memory: plan.memory, turn, record, state, refusal, backupOf, now });
  const after = {
    status: { ...end.status, job: statusJob(run.value.task, record) },
    plan: { ...plan, memory: end.memory },
    records,
  };
  const next = end.memory.turn;
  const rest = next && purposeOf(next) !== purpose ? goesOn(observed, after, next) : idle(observed, after);
  return { ...rest, intents: doing.intents, events: [...end.events, ...(rest.events ?? [])], wakeAt: now };
}

function underWay(
  observed: ObservedMaintenance,
  outlook: Outlook,
  turn: Turn,
  state: Exclude<TaskState, EndedTask>,
): Decision<MaintenanceStatus> {
  const { maintenance, plan, now } = observed;
  const { record } = outlook.decision;
  const { failure: _, logTail: __, ...kept } = maintenance.status ?? {};
  const failure = shownFailure(maintenance.status?.failure, record.lastFailure, record, now);
  const doing = turn.step === "Check" ? "checking the repository" : `doing ${whichOf(turn)} maintenance`;
  return told(observed, {
    status: {
      ...kept,
      phase: record.startedAt === undefined ? "Pending" : "Running",
      job: statusJob(outlook.task, record),
      ...(failure ? { failure } : {}),
      ...shownLog(maintenance.status, outlook.decision),
    },
    plan,
    records: { [purposeOf(turn)]: record },
    stand: standOfTask(state, doing),
    ...carryOut(outlook),
  });
}

/** One step of a turn is done, and the next one begins at once. */
function goesOn(observed: ObservedMaintenance, rest: Rest, { step }: Turn): Decision<MaintenanceStatus> {
  const message = `The repository is ${step === "Check" ? "checked" : "maintained"} next.`;
  const stand: Stand = { state: "reconciling", reason: "Running", message };
  return told(observed, {
    ...rest,
    status: { ...rest.status, phase: "Running" },
    stand,
    wakeAt: observed.now,
  });
}

type Rest = Pick<Telling, "status" | "plan" | "records">;

function idle(observed: ObservedMaintenance, rest: Rest): Decision<MaintenanceStatus> {
  const { problem, now } = observed;
  const { phase, stand } = idleStand({ ...observed, ...rest });
  const due = Object.values(rest.plan.next).map(({ at }) => at);
  const wakeAt = problem ? wakeFor(problem, now) : due.length > 0 ? Math.min(...due) : undefined;
  return told(observed, { ...rest, status: { ...rest.status, phase }, stand, wakeAt });
}

interface Telling {
  readonly status: MaintenanceStatus;
  readonly plan: Plan;
  /** What is remembered of runs, by purpose. */
  readonly records: Readonly<Record<string, unknown>>;
  readonly stand: Stand;
  readonly intents?: Decision<never>["intents"];
  readonly wakeAt: number | undefined;
}

function told(observed: ObservedMaintenance, telling: Telling): Decision<MaintenanceStatus> {
  const { maintenance, maintainer, now } = observed;
  const { plan, records, stand, intents = [], wakeAt } = telling;
  const { generation } = maintenance.metadata;
  const { quick, full, ...kept } = telling.status;
  const status = { ...kept, ...times("quick", quick, plan), ...times("full", full, plan) };
  const conditions = [ownershipCondition(maintenance, status, maintainer), ...health(status)];
  return {
    status: {
      ...status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(plan.handledWish ? { handledRunRequest: plan.handledWish } : {}),
      conditions: conditionsFor(maintenance, stand, conditions, now),
      work: { ...records, [MEMORY]: plan.memory },
    },
    intents,
    events: [...planned(plan), ...newsOf(maintenance, stand)],
    wakeAt,
  };
}

/** The times of a schedule, with when it is due next. While nothing is decided, what was next is so still. */
function times(which: Which, before: MaintenanceStatus[Which], { next, decided }: Plan): MaintenanceStatus {
  const { nextScheduledAt, ...kept } = before ?? {};
  const slot = next[which];
  const still = decided ? undefined : nextScheduledAt;
  const all = { ...kept, ...(slot ? { nextScheduledAt: still ?? timestamp(slot.at) } : {}) };
  return Object.keys(all).length > 0 ? { [which]: all } : {};
}

function health({ lastCheck }: MaintenanceStatus): readonly WantedCondition[] {
  if (!lastCheck) return [];
  const type = CONDITIONS.repositoryHealthy;
  if (lastCheck.healthy) {
    return [
      { type, status: "True", reason: "Checked", message: `The check of ${lastCheck.at} found nothing.` },
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

function planned({ missed, unknownWish }: Plan): readonly EventNote[] {
  const notes: EventNote[] = (["quick", "full"] as const).flatMap((which) => {
    const skip = missed[which];
    if (!skip) return [];
    const since = timestamp(skip.first);
    const message = `${skip.count} ${which} runs since ${since} were missed; the next one stands for them.`;
    return [{ type: "Warning", reason: "RunsMissed", message }];
  });
  if (unknownWish === undefined) return notes;
  const message = `The request ${JSON.stringify(unknownWish)} is not understood. Let it begin with quick, full, full-immediate or check.`;
  return [...notes, { type: "Warning", reason: "UnknownRequest", message }];
}
