import type { RunTask } from "../../../core/work/run_request.ts";
import { type Maintenance, maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { Result } from "../../../lib/result.ts";
import type { Work } from "../../../wire/work.ts";
import type { Problem } from "../problem.ts";
import { type Ground, taskFor } from "../task.ts";
import { claimOf } from "./ownership.ts";
import { purposeOf, type Turn } from "./turn.ts";

/** The run that is the turn's present step. */
export function turnTask(ground: Ground, maintenance: Maintenance, turn: Turn): Result<RunTask, Problem> {
  const owner = { resource: maintenanceResource, object: maintenance };
  const { mover } = maintenance.spec;
  const request = { ...ground, owner, purpose: purposeOf(turn), mover };
  return taskFor(request, () => ({ work: workOf(maintenance, turn) }));
}

function workOf(maintenance: Maintenance, { step, mode, immediate }: Turn): Work {
  if (step === "Check") return { check: { dataPercent: maintenance.spec.check.dataPercent } };
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
export function needsAlone({ step, immediate = false }: Turn, engineAlone: boolean): boolean {
  return engineAlone || (immediate && step === "Maintain");
}
