import type { RunGate, RunPolicy } from "../../core/work/run_policy.ts";
import type { RunTask } from "../../core/work/run_request.ts";
import type { Repository } from "../../kinds/kopiur/generated/repository.ts";
import { keyOf } from "../../kube/object.ts";
import { ok, type Result } from "../../lib/result.ts";
import { consents } from "./mover.ts";
import type { Outlook } from "./outlook.ts";
import type { KopiurPorts } from "./ports.ts";
import type { Problem } from "./problem.ts";
import { recordOf } from "./records.ts";
import { readCaBundle } from "./repository/ca_bundle.ts";
import type { Ground } from "./task.ts";

/** Looks up what a run in the repository's namespace needs to know. */
export async function groundOf(
  { client, caches, settings }: KopiurPorts,
  repository: Repository,
  signal: AbortSignal,
): Promise<Ground> {
  const namespace = caches.namespaces.get(keyOf({ name: repository.metadata.namespace ?? "" }));
  const ca = await readCaBundle(client, repository, signal);
  return { repository, ca, settings, consent: consents(namespace) };
}

export interface OutlookRequest {
  readonly task: Result<RunTask, Problem>;
  readonly status: object | undefined;
  /** Where an edit of the owner begins anew what failed. */
  readonly edition?: string;
  readonly policy?: RunPolicy;
  readonly gate?: RunGate;
  readonly cancel?: boolean;
}

/** Looks at the runs of a task, and decides what follows for it. */
export async function outlookOf(
  { tasks }: KopiurPorts,
  request: OutlookRequest,
  signal: AbortSignal,
): Promise<Result<Outlook, Problem>> {
  const { task, status, edition, policy = {}, gate, cancel } = request;
  if (!task.ok) return task;
  const record = recordOf(status, task.value.purpose);
  const view = {
    task: task.value,
    policy,
    edition,
    ...(record ? { record } : {}),
    ...(gate ? { gate } : {}),
    ...(cancel ? { cancel } : {}),
  };
  return ok({ task: task.value, decision: await tasks.decide(view, { signal }) });
}

/** Work may begin once nothing is in the way. */
export function gateOf(result: Result<unknown, Problem>): RunGate {
  return result.ok
    ? { open: true }
    : { open: false, reason: result.error.reason, message: result.error.message };
}
