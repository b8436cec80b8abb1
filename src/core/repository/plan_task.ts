import type { KubeObject } from "../../kube/object.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import { ok, type Result } from "../../lib/result.ts";
import { allowsPrivileges, privilegeAnnotation } from "../consent/privileges.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { recordOf } from "../reconcile/records.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { PREPARING } from "../reconcile/task_words.ts";
import type { Place } from "../work/queue/place.ts";
import type { RunGate, RunPolicy } from "../work/run_policy.ts";
import { type RunRecord, renewed } from "../work/run_record.ts";
import type { RunTask } from "../work/run_request.ts";
import { readCaBundle } from "./ca_bundle.ts";
import type { Repository } from "./repository.ts";
import { type SlotQuestion, slotFor } from "./slot.ts";
import type { RunContext } from "./task_for.ts";

export interface RunContextRequest<R extends Repository> {
  readonly repository: R;
  /** Where the run is to be. */
  readonly namespace: string;
  /** That namespace, as far as it is known. */
  readonly home: KubeObject | undefined;
  readonly image?: string | undefined;
}

/** Looks up what a run on the repository needs to know. */
export async function runContext<R extends Repository>(
  { client, settings }: Pick<EngineRoom, "client" | "settings">,
  { repository, namespace, home, image }: RunContextRequest<R>,
  signal: AbortSignal,
): Promise<RunContext<R>> {
  const consent = allowsPrivileges(home, privilegeAnnotation(repository));
  const ca = await readCaBundle(client, repository, signal);
  return { repository, namespace, ca, settings, consent, image };
}

export interface TaskPlanRequest {
  readonly task: Result<RunTask, Problem>;
  readonly status: object | undefined;
  /** Where an edit of the owner begins anew what failed. */
  readonly edition?: string;
  readonly policy?: RunPolicy;
  readonly gate?: RunGate;
  /** It needs a slot at its repository, once the gate is open; or where it stands already, from `slotFor`. */
  readonly slot?: Omit<SlotQuestion, "record"> | undefined;
  readonly place?: Place | undefined;
  readonly cancel?: boolean;
}

/** Looks at the runs of a task, and decides what follows for it. */
export async function planTask(
  ports: Pick<EngineRoom, "tasks" | "queues" | "clock">,
  request: TaskPlanRequest,
  signal: AbortSignal,
): Promise<Result<TaskPlan, Problem>> {
  const { task, status, edition, policy = {}, cancel = false } = request;
  if (!task.ok) return task;
  const record = recordOf(status, task.value.purpose);
  const { gate, place } = standing(ports, request, record);
  const view = {
    task: task.value,
    policy,
    edition,
    ...(record ? { record } : {}),
    ...(gate ? { gate } : {}),
    ...(place ? { place } : {}),
    ...(cancel ? { cancel } : {}),
    refused: refusedWords(status),
  };
  return ok({ task: task.value, decision: await ports.tasks.decide(view, { signal }) });
}

/** What was in the way when the Job was last to be made: such a refusal is written into the owner's status alone. */
function refusedWords(status: object | undefined): string | undefined {
  const { conditions = [] }: { readonly conditions?: readonly Condition[] } = status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready");
  return !ready || ready.reason === PREPARING ? undefined : `${ready.reason}: ${ready.message}`;
}

function standing(
  ports: Pick<EngineRoom, "tasks" | "queues" | "clock">,
  { gate, place, slot, edition, cancel }: TaskPlanRequest,
  record: RunRecord | undefined,
): Pick<TaskPlanRequest, "gate" | "place"> {
  if (!slot || cancel || gate?.open === false) return { ...(gate ? { gate } : {}), place };
  return slotFor(ports, { ...slot, record: record && renewed(record, edition) });
}

/** Work may begin once nothing is in the way. */
export function gateOf(result: Result<unknown, Problem>): RunGate {
  return result.ok
    ? { open: true }
    : { open: false, reason: result.error.reason, message: result.error.message };
}
