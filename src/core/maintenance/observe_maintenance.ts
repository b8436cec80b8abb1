import { err, ok, type Result } from "../../lib/result.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordOf, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { type Inherited, planInheriting } from "../repository/inherited_from.ts";
import { NOTHING_INHERITED } from "../repository/mover_user.ts";
import { gateOf, planTask, type TaskPlanRequest } from "../repository/plan_task.ts";
import type { Repository } from "../repository/repository.ts";
import type { RunContext } from "../repository/task_for.ts";
import { FIRST_ATTEMPT, renewed } from "../work/run_record.ts";
import type { BackupOf } from "./check_status.ts";
import type { ObservedMaintenance } from "./decide_maintenance.ts";
import { isStopped } from "./idle_state.ts";
import type { Maintenance } from "./maintenance.ts";
import { type MaintenanceRun, MEMORY, memoryOf, purposeOf } from "./maintenance_run.ts";
import { planRun } from "./plan_run.ts";
import { type MaintenanceOwner, needsAlone, runTask } from "./run_task.ts";
import { immediateProblem } from "./shared_repository.ts";

/** What is in the way of maintenance. */
export interface Obstacles {
  /** It breaks a rule. What runs already ends. */
  readonly broken?: Problem | undefined;
  /** The repository cannot be used now. What runs already goes on. */
  readonly unusable?: Problem | undefined;
  /** The stored repository is maintained through another object. What runs already ends. */
  readonly elsewhere?: Problem | undefined;
}

export interface MaintenanceQuestion extends Obstacles {
  readonly owner: MaintenanceOwner;
  /** Absent where the repository is not there. */
  readonly on?: MaintainedRepository | undefined;
  /** How a suspension is ended, in the words of the API. */
  readonly resume: string;
}

export interface MaintainedRepository {
  readonly repository: Repository;
  /** The other objects that stand for the same stored repository. */
  readonly sharers: readonly Repository[];
  /** Looks up what a run on the repository needs to know. */
  context(): Promise<RunContext>;
  readonly backupOf: BackupOf;
}

/** What was observed, and what is left to be done about earlier runs. */
export interface MaintenanceView {
  readonly observed: ObservedMaintenance;
  readonly earlier: readonly TaskPlan[];
}

type Ports = Pick<EngineRoom, "client" | "tasks" | "queues" | "clock">;

/** Looks at the runs of maintenance. */
export async function observeMaintenance(
  ports: Ports,
  question: MaintenanceQuestion,
  signal: AbortSignal,
): Promise<MaintenanceView> {
  const now = ports.clock.now();
  const { owner, on, resume } = question;
  const { object: maintenance } = owner;
  const stopped = isStopped(maintenance);
  const { problem } = gatesOf({ ...question, stopped });
  const { turn: before } = memoryOf(maintenance.status);
  const busy = before !== undefined && isOpen(maintenance, before);
  const plan = planRun({ maintenance, busy, mayBegin: !problem && !stopped, now });
  const { turn: run } = plan.memory;
  const seen = { maintenance, problem, stopped, plan, resume, now };
  if (!on) {
    const task = busy && problem ? { task: err(problem) } : {};
    return { observed: { ...seen, ...task, maintainer: false }, earlier: [] };
  }
  const { repository, sharers, backupOf } = on;
  const { maintainer, locks } = CAPABILITIES[repository.spec.engine];
  const refusal = run && !locks ? immediateProblem(run, sharers) : undefined;
  const { cancel } = gatesOf({ ...question, stopped, refusal });
  const view = { ports, owner, context: await on.context(), signal };
  const gate = gateOf(problem ? err(problem) : ok(undefined));
  const task = run && (await planOf(view, run, { gate, cancel }));
  const observed = { ...seen, task, refusal, maintainer, backupOf };
  return { observed, earlier: await earlierRuns(view, run) };
}

export interface Gates {
  /** Why no run may begin. */
  readonly problem: Problem | undefined;
  /** What runs has to end. */
  readonly cancel: boolean;
}

/** `refusal`: why the run that is due cannot be. */
export function gatesOf({
  broken,
  unusable,
  elsewhere,
  stopped,
  refusal,
}: Obstacles & { readonly stopped: boolean; readonly refusal?: Problem | undefined }): Gates {
  const ending = broken ?? elsewhere ?? refusal;
  return { problem: broken ?? unusable ?? elsewhere, cancel: stopped || ending !== undefined };
}

interface View {
  readonly ports: Ports;
  readonly owner: MaintenanceOwner;
  readonly context: RunContext;
  readonly signal: AbortSignal;
}

async function planOf(
  { ports, owner, context, signal }: View,
  run: MaintenanceRun,
  how: Pick<TaskPlanRequest, "gate" | "cancel">,
): Promise<Result<TaskPlan, Problem>> {
  const { object } = owner;
  const { repository, namespace } = context;
  const { edition } = editionOf(object, run);
  const heir = { namespace, mover: object.spec.mover, status: object.status, edition };
  const plan = {
    policy: object.spec.failurePolicy,
    slot: {
      owner: object,
      kind: "maintenance",
      recipe: object.metadata.name,
      exclusive: needsAlone(run, CAPABILITIES[repository.spec.engine].exclusiveMaintenance),
      repository,
    },
    ...how,
  } as const;
  const make = (inherited: Inherited) => runTask(context, owner, run, inherited);
  return planInheriting(ports, heir, make, plan, signal);
}

/** Whether the run's present step has not come to an end, or an edit lets it begin anew. */
function isOpen(maintenance: Maintenance, run: MaintenanceRun): boolean {
  const record = recordOf(maintenance.status, purposeOf(run)) ?? FIRST_ATTEMPT;
  return renewed(record, editionOf(maintenance, run).edition).outcome === undefined;
}

/** What failed is tried again after an edit; what somebody ended is not, nor anything while all is suspended. */
function editionOf(maintenance: Maintenance, run: MaintenanceRun): { readonly edition?: string } {
  const outcome = recordOf(maintenance.status, purposeOf(run))?.outcome;
  const over = outcome === "Cancelled" || (outcome !== undefined && maintenance.spec.schedule.suspend);
  return over || isStopped(maintenance) ? {} : { edition: specFingerprint(maintenance) };
}

/** Earlier runs and steps, which have to be tidied up. */
async function earlierRuns(
  { ports, owner, context, signal }: View,
  run: MaintenanceRun | undefined,
): Promise<readonly TaskPlan[]> {
  const { status } = owner.object;
  const current = run && purposeOf(run);
  const purposes = Object.keys(recordsOf(status)).filter((key) => key !== MEMORY && key !== current);
  // What the work was does not matter any more: only its name counts.
  const task = runTask(context, owner, { mode: "Quick", step: "Maintain", cause: "" }, ok(NOTHING_INHERITED));
  if (!task.ok) return [];
  const taskPlans = await Promise.all(
    purposes.map((purpose) => planTask(ports, { task: ok({ ...task.value, purpose }), status }, signal)),
  );
  return taskPlans.flatMap((taskPlan) => (taskPlan.ok ? [taskPlan.value] : []));
}
