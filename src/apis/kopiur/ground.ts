import type { Place } from "../../core/work/queue/place.ts";
import type { RunGate, RunPolicy } from "../../core/work/run_policy.ts";
import { type RunRecord, renewed } from "../../core/work/run_record.ts";
import type { RunTask } from "../../core/work/run_request.ts";
import { keyOf } from "../../kube/object.ts";
import { ok, type Result } from "../../lib/result.ts";
import { consents } from "./mover.ts";
import type { Outlook } from "./outlook.ts";
import type { KopiurPorts } from "./ports.ts";
import type { Problem } from "./problem.ts";
import { recordOf } from "./records.ts";
import type { AnyRepository } from "./references.ts";
import { readCaBundle } from "./repository/ca_bundle.ts";
import { type SeatQuestion, seatFor } from "./seat.ts";
import type { Ground } from "./task.ts";

/** Looks up what a run on the repository needs to know, in the namespace that it is to run in. */
export async function groundOf(
  { client, caches, settings }: KopiurPorts,
  repository: AnyRepository,
  namespace: string,
  signal: AbortSignal,
): Promise<Ground> {
  const consent = consents(caches.namespaces.get(keyOf({ name: namespace })));
  const ca = await readCaBundle(client, repository, signal);
  return { repository, namespace, ca, settings, consent };
}

export interface OutlookRequest {
  readonly task: Result<RunTask, Problem>;
  readonly status: object | undefined;
  /** Where an edit of the owner begins anew what failed. */
  readonly edition?: string;
  readonly policy?: RunPolicy;
  readonly gate?: RunGate;
  /** It needs a seat at its repository, once the gate is open; or where it stands already, from `seatFor`. */
  readonly seat?: Omit<SeatQuestion, "record"> | undefined;
  readonly place?: Place | undefined;
  readonly cancel?: boolean;
}

/** Looks at the runs of a task, and decides what follows for it. */
export async function outlookOf(
  ports: KopiurPorts,
  request: OutlookRequest,
  signal: AbortSignal,
): Promise<Result<Outlook, Problem>> {
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
  };
  return ok({ task: task.value, decision: await ports.tasks.decide(view, { signal }) });
}

function standing(
  ports: KopiurPorts,
  { gate, place, seat, edition, cancel }: OutlookRequest,
  record: RunRecord | undefined,
): Pick<OutlookRequest, "gate" | "place"> {
  if (!seat || cancel || gate?.open === false) return { ...(gate ? { gate } : {}), place };
  return seatFor(ports, { ...seat, record: record && renewed(record, edition) });
}

/** Work may begin once nothing is in the way. */
export function gateOf(result: Result<unknown, Problem>): RunGate {
  return result.ok
    ? { open: true }
    : { open: false, reason: result.error.reason, message: result.error.message };
}
