import type { Resource } from "../../kube/resource.ts";
import type { Result } from "../../lib/result.ts";
import type { Work } from "../../wire/work.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { Inherited } from "../repository/inherited_from.ts";
import { type RunContext, taskFor } from "../repository/task_for.ts";
import type { RunTask } from "../work/run_request.ts";
import type { Maintenance } from "./maintenance.ts";
import { type MaintenanceRun, purposeOf } from "./maintenance_run.ts";
import { claimOf } from "./ownership.ts";

/** Whatever maintains a repository, and owns the runs. */
export interface MaintenanceOwner {
  readonly resource: Resource;
  readonly object: Maintenance;
}

/** The task that is the run's present step. */
export function runTask(
  context: RunContext,
  { resource, object: maintenance }: MaintenanceOwner,
  run: MaintenanceRun,
  inherited?: Inherited,
): Result<RunTask, Problem> {
  const owner = { resource, object: maintenance };
  const { mover } = maintenance.spec;
  const request = { ...context, owner, purpose: purposeOf(run), mover, inherited };
  return taskFor(request, () => ({ work: workOf(maintenance, run) }));
}

/**
 * How much of the stored data a check reads. Damage that was found by reading is not gone because a check that reads
 * less does not see it.
 */
export function dataPercentOf({ spec, status }: Maintenance, { dataPercent }: MaintenanceRun): number {
  const { healthy, dataPercent: before = 0 } = status?.lastCheck ?? { healthy: true };
  return Math.max(dataPercent ?? spec.check.dataPercent, healthy ? 0 : before);
}

function workOf(maintenance: Maintenance, run: MaintenanceRun): Work {
  const { step, mode, immediate, snapshot } = run;
  if (snapshot !== undefined) return { verify: { snapshot: { id: snapshot } } };
  if (step === "Check") return { check: { dataPercent: dataPercentOf(maintenance, run) } };
  const { afterEach: check } = maintenance.spec.check;
  return {
    maintain: {
      mode,
      ...claimOf(maintenance),
      ...(immediate ? { immediate } : {}),
      ...(check ? { check } : {}),
    },
  };
}

/** Whether the step needs the repository for itself; `engineAlone` is whether the engine always does. */
export function needsAlone({ step, immediate = false }: MaintenanceRun, engineAlone: boolean): boolean {
  return engineAlone || (immediate && step === "Maintain");
}
