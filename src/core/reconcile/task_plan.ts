import type { RunTask } from "../work/run_request.ts";
import type { TaskDecision } from "../work/task_decision.ts";
import type { Decision, Intent } from "./decision.ts";
import type { Remembering } from "./records.ts";

/** A task of an object, and what follows for it. */
export interface TaskPlan {
  readonly task: RunTask;
  readonly decision: TaskDecision;
}

/** What of an outlook is carried out. */
export function carryOut({ decision }: TaskPlan): {
  readonly intents: readonly Intent[];
  readonly wakeAt: number | undefined;
} {
  const intents: readonly Intent[] = decision.intents.length > 0 ? [{ type: "Run", decision }] : [];
  return { intents, wakeAt: decision.wakeAt };
}

/** As many tasks that have ended are remembered, so that what is left of them can be tidied up. */
const REMEMBERED = 2;

/** The decision, with what is left to be done about tasks that have ended. */
export function withEarlier<S extends Remembering, More>(
  decision: Decision<S, More>,
  earlier: readonly TaskPlan[],
): Decision<S, More> {
  const records = earlier
    .map(({ task, decision: { record } }) => [task.purpose, record] as const)
    .toSorted(([, a], [, b]) => ((a.startedAt ?? "") < (b.startedAt ?? "") ? 1 : -1))
    .slice(0, REMEMBERED);
  const { status } = decision;
  return {
    ...decision,
    ...(status ? { status: { ...status, work: { ...Object.fromEntries(records), ...status.work } } } : {}),
    intents: [...earlier.flatMap((taskPlan) => carryOut(taskPlan).intents), ...decision.intents],
  };
}
