import { ConfigMaps, type Job, Jobs, Secrets } from "../../../kube/builtin.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { lentSecret, workConfigMap } from "../mover_job.ts";
import { explained } from "../refusals.ts";
import type { RunRequest } from "../run_request.ts";
import type { LentData } from "../run_secrets.ts";
import { sessionJob } from "./session_job.ts";

export type SessionWriter = Pick<Client, "create" | "patch" | "delete">;

/**
 * Makes the objects of a session: the Job first, as it owns the rest, and let go last. Whoever is stopped in the
 * middle leaves a Job that waits, and that the next operator removes.
 */
export async function makeSession(
  writer: SessionWriter,
  run: RunRequest,
  keys: LentData,
  call: CallOptions,
): Promise<Job> {
  const create = async <T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<T> => {
    try {
      return await writer.create(resource, draft, call);
    } catch (error) {
      throw explained(error, `${resource.kind} ${keyOf({ namespace: run.namespace, name: run.id })}`);
    }
  };
  const job = await create(Jobs, sessionJob(run));
  await create(ConfigMaps, workConfigMap(run, job));
  await create(Secrets, lentSecret(run, job, keys));
  const patch = { metadata: { uid: job.metadata.uid }, spec: { suspend: false } };
  return writer.patch(Jobs, job.metadata, { type: "merge", patch }, call);
}

/** Removes a session by name: nothing else ever has it. */
export async function removeSession(
  writer: SessionWriter,
  { namespace, id }: { readonly namespace: string; readonly id: string },
  call: CallOptions,
): Promise<void> {
  await writer.delete(Jobs, { namespace, name: id }, { propagation: "Background", ...call });
}
