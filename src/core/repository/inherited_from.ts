import { Pods } from "../../kube/builtin.ts";
import { selects } from "../../kube/label_selector.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordOf } from "../reconcile/records.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import type { InheritedSecurity } from "../work/mover_security.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import { FIRST_ATTEMPT, renewed } from "../work/run_record.ts";
import type { RunTask } from "../work/run_request.ts";
import { inheritedSecurity } from "../workloads/inherit_security_context.ts";
import { NOTHING_INHERITED } from "./mover_user.ts";
import { planTask, type TaskPlanRequest } from "./plan_task.ts";

export type Inherited = Result<InheritedSecurity, Problem>;

export interface Inheritance {
  /** Where the workload is. */
  readonly namespace: string;
  readonly from: NonNullable<MoverSpec["inheritSecurityContextFrom"]>;
}

/** As whom the pods of a workload run; or why that is not known. */
export async function inheritedFrom(
  { client }: Pick<EngineRoom, "client">,
  { namespace, from }: Inheritance,
  signal: AbortSignal,
): Promise<Inherited> {
  const { items } = await client.list(Pods, { namespace, omitManagedFields: true, signal });
  const pods = items.filter(({ metadata }) => selects(from.podSelector, metadata.labels ?? {}));
  const found = inheritedSecurity({ pods, container: from.container });
  if (found.ok) return found;
  const { class: kind, reason, message } = found.error;
  return err({ class: kind, reason, message });
}

export interface Heir {
  /** Where its runs are. */
  readonly namespace: string;
  /** What the object itself says: what its repository says is for backups. */
  readonly mover: MoverSpec | undefined;
  readonly status: object | undefined;
  readonly edition?: string | undefined;
}

/**
 * Plans the task of an object that may name a workload to inherit from. What was found is remembered: the workload may be
 * scaled down for the very run. A run that has its Job needs no pod of it any more.
 */
export async function planInheriting(
  ports: PlanPorts,
  { namespace, mover, status, edition }: Heir,
  make: (inherited: Inherited) => Result<RunTask, Problem>,
  how: Omit<TaskPlanRequest, "task" | "status" | "edition">,
  signal: AbortSignal,
): Promise<Result<TaskPlan, Problem>> {
  const plan = (task: Result<RunTask, Problem>) =>
    planTask(ports, { ...how, task, status, ...(edition === undefined ? {} : { edition }) }, signal);
  const task = make(ok(NOTHING_INHERITED));
  const from = mover?.inheritSecurityContextFrom;
  if (!from || !task.ok) return plan(task);
  const record = renewed(recordOf(status, task.value.purpose) ?? FIRST_ATTEMPT, edition);
  if (record.job !== undefined || record.outcome) return plan(task);
  const inherited: Inherited = record.inherited
    ? ok(record.inherited)
    : await inheritedFrom(ports, { namespace, from }, signal);
  const planned = await plan(make(inherited));
  if (!planned.ok || !inherited.ok) return planned;
  const { decision } = planned.value;
  const remembered = { ...decision.record, inherited: inherited.value };
  return ok({ ...planned.value, decision: { ...decision, record: remembered } });
}

type PlanPorts = Parameters<typeof planTask>[0] & Pick<EngineRoom, "client">;
