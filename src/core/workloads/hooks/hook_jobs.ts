import {
  type ApiError,
  ignoreGone,
  isAlreadyExists,
  isForbidden,
  isInvalid,
  isNotFound,
} from "../../../kube/api_error.ts";
import { type Job, Jobs, type Pod, Pods, type Secret, Secrets } from "../../../kube/builtin.ts";
import type { PodClient } from "../../../kube/client/pod_client.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import { keyOf } from "../../../kube/object.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { messageOf } from "../../../lib/result.ts";
import type { MoverAccounts } from "../../work/mover_accounts.ts";
import { leftover } from "../../work/refusals.ts";
import { RUN_LABEL } from "../../work/run_labels.ts";
import { whoseDependent } from "../../work/whose_dependent.ts";
import { type HookSeries, hookId, lentTo } from "./hook.ts";
import { hookJob } from "./hook_job.ts";
import { failed, type HookResult, type HookSight, lastWords } from "./hook_sight.ts";

export interface HookJobsPorts {
  readonly client: Pick<Client, "get" | "list" | "create" | "patch" | "delete">;
  readonly pods: Pick<PodClient, "logs">;
  /** For Jobs of ours. */
  readonly accounts: Pick<MoverAccounts, "in">;
  /** Secrets of other namespaces may be lent to Jobs. Default false. */
  readonly lending?: boolean | undefined;
}

/** Makes the Jobs of hooks, and looks at them. */
export class HookJobs {
  readonly #ports: HookJobsPorts;

  constructor(ports: HookJobsPorts) {
    this.#ports = ports;
  }

  /** Makes the Job, unless it is there. What comes back is why there can be none. */
  async start(series: HookSeries, index: number, call: CallOptions): Promise<HookResult | undefined> {
    const { action } = series.hooks[index] ?? {};
    if (!action || !("job" in action)) return undefined;
    const { client, accounts } = this.#ports;
    const account = action.ours ? await accounts.in(series.namespace, call) : undefined;
    const draft = hookJob(series, index, action.job, account);
    const lent = await this.#lent(series, index, call);
    if (lent && "ok" in lent) return lent;
    try {
      await client.create(Jobs, draft, call);
    } catch (error) {
      if (isInvalid(error) || isForbidden(error)) {
        return failed(`its Job cannot be made: ${(error as ApiError).said}`);
      }
      if (!isAlreadyExists(error)) throw error;
      const job = await this.#get(series, index, call);
      if (job && !isOurs(job, series)) return failed(`Job ${keyOf(job)} is there already, and is another's.`);
    }
    return lent && this.#hand(series, index, lent, call);
  }

  /** What a Job is lent, by the keys of its Secret; or why nothing can be. */
  async #lent(
    series: HookSeries,
    index: number,
    call: CallOptions,
  ): Promise<HookResult | { readonly data: Secret["data"] } | undefined> {
    const name = lentTo(series, index);
    if (!name) return undefined;
    const { client, lending } = this.#ports;
    const what = `it needs Secret ${keyOf(name)}`;
    if (!lending) return failed(`${what}, and lending Secrets is switched off. Switch it on.`);
    try {
      return { data: (await client.get(Secrets, name, call)).data };
    } catch (error) {
      if (isNotFound(error)) return failed(`${what}, which does not exist. Create it.`);
      if (isForbidden(error)) return failed(`${what}, which the operator may not get. Grant it the verb.`);
      throw error;
    }
  }

  /** Gives the Job its copy, and lets it begin. Done twice, it is the same. What comes back is why it cannot begin. */
  async #hand(
    series: HookSeries,
    index: number,
    { data }: { readonly data: Secret["data"] },
    call: CallOptions,
  ): Promise<HookResult | undefined> {
    const { client } = this.#ports;
    const job = await this.#get(series, index, call);
    if (!job?.spec?.suspend || job.metadata.deletionTimestamp) return undefined;
    const { namespace = "", name, uid, labels } = job.metadata;
    const owner = ownerReference({
      owner: { resource: Jobs, object: job },
      dependent: { resource: Secrets, namespace },
      blockOwnerDeletion: false,
    });
    const metadata = { namespace, name, ...(labels ? { labels } : {}), ownerReferences: [owner] };
    const draft = { metadata, ...(data ? { data } : {}) };
    try {
      await client.create(Secrets, draft, call);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = await client.get(Secrets, { namespace, name }, call);
      const whose = whoseDependent(present, job);
      const what = `Secret ${keyOf(present)}`;
      if (whose === "Leftover") throw leftover(what);
      if (whose === "Foreign") return failed(`${what} is there already, and is another's. Delete it.`);
    }
    // The UID has the server refuse it for another Job of the same name.
    const patch = { metadata: { uid }, spec: { suspend: false } };
    await client.patch(Jobs, job.metadata, { type: "merge", patch }, call);
    return undefined;
  }

  async see(series: HookSeries, index: number, call: CallOptions): Promise<HookSight> {
    const job = await this.#get(series, index, call);
    if (!job || !isOurs(job, series)) return { phase: "Unknown" };
    // It was made, and nobody lived to hand it what it is lent.
    if (job.spec?.suspend && lentTo(series, index)) return { phase: "Unknown" };
    const { uid } = job.metadata;
    const end = job.status?.conditions?.find(
      ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
    );
    if (end?.type === "Complete") {
      const report = await this.#report(series, index, call);
      return { phase: "Ended", job: uid, result: { ok: true, ...(report ? { report } : {}) } };
    }
    const said = await this.#said(series, index, call);
    if (!end) return { phase: "Running", job: uid, note: said };
    return {
      phase: "Ended",
      job: uid,
      result: failed(`Job ${keyOf(job)} ${end.message ?? "failed"}. ${said}`),
    };
  }

  /** Removes the Job, and with it its pods. */
  async remove(series: HookSeries, index: number, call: CallOptions): Promise<void> {
    const job = await this.#get(series, index, call);
    if (!job || !isOurs(job, series)) return;
    const { uid } = job.metadata;
    await this.#ports.client
      .delete(Jobs, job.metadata, { uid, propagation: "Background", ...call })
      .catch(ignoreGone);
  }

  #get(series: HookSeries, index: number, call: CallOptions): Promise<Job | undefined> {
    const name = hookId(series, index);
    return this.#ports.client.get(Jobs, { namespace: series.namespace, name }, call).catch(ignoreGone);
  }

  /** What a pod of the Job that ended well has left to be read, where that is asked for. */
  async #report(series: HookSeries, index: number, call: CallOptions): Promise<string | undefined> {
    const { action } = series.hooks[index] ?? {};
    if (!action || !("job" in action) || !action.reports) return undefined;
    const pods = await this.#pods(series, index, call);
    const ended = pods.filter(({ status }) => status?.phase === "Succeeded");
    const containers = ended.flatMap(({ status }) => status?.containerStatuses ?? []);
    return containers.map(({ state }) => state?.terminated?.message).find((message) => message);
  }

  /** Its pods, the newest last. */
  async #pods(series: HookSeries, index: number, call: CallOptions): Promise<readonly Pod[]> {
    const labelSelector = `${RUN_LABEL}=${hookId(series, index)}`;
    const { items } = await this.#ports.client.list(Pods, {
      namespace: series.namespace,
      labelSelector,
      omitManagedFields: true,
      ...call,
    });
    return items.toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
  }

  /** What the Job's newest pod shows of itself. */
  async #said(series: HookSeries, index: number, call: CallOptions): Promise<string> {
    const pod = (await this.#pods(series, index, call)).at(-1);
    if (!pod) return "It has no pod.";
    const { status } = pod;
    const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const ended = containers.find(({ state }) => state?.terminated && state.terminated.exitCode !== 0);
    const waiting = containers.find(({ state }) => state?.waiting)?.state?.waiting;
    const name = `Pod ${keyOf(pod)}`;
    if (ended?.state?.terminated) {
      const { exitCode } = ended.state.terminated;
      const tail = await this.#tail(pod, ended.name, call);
      return `${name} ended with exit code ${exitCode}. ${lastWords(tail)}`;
    }
    if (waiting) return `${name} waits: ${[waiting.reason, waiting.message].filter(Boolean).join(": ")}`;
    const running = containers.find(({ state }) => state?.running);
    if (running) return `${name} runs. ${lastWords(await this.#tail(pod, running.name, call))}`;
    const unscheduled = status?.conditions?.find(
      ({ type, status }) => type === "PodScheduled" && status === "False",
    );
    return `${name} is ${status?.phase ?? "Pending"}${unscheduled?.message ? `: ${unscheduled.message}` : "."}`;
  }

  /** Without the log the failure is told all the same. */
  async #tail({ metadata }: Pod, container: string, call: CallOptions): Promise<string> {
    const signal = call.signal ?? new AbortController().signal;
    const parts: Uint8Array[] = [];
    try {
      const options = { signal, container, tailLines: 10, limitBytes: 4096 };
      for await (const part of this.#ports.pods.logs(metadata, options)) parts.push(part);
      return Buffer.concat(parts).toString("utf8");
    } catch (error) {
      signal.throwIfAborted();
      return `its log cannot be read: ${messageOf(error)}`;
    }
  }
}

function isOurs({ metadata }: Job, { owner }: HookSeries): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) ?? false;
}
