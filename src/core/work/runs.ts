import { ignoreGone, isAlreadyExists } from "../../kube/api_error.ts";
import { ConfigMaps, type Job, Jobs, type Pod, Pods, Secrets } from "../../kube/builtin.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import { Failure } from "../../kube/failure.ts";
import { type Draft, type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { type MoverAccounts, underAccount } from "./mover_accounts.ts";
import { lentSecret, moverJob, workConfigMap } from "./mover_job.ts";
import { explained, foreign, leftover } from "./refusals.ts";
import { CANCELLED_ANNOTATION, runOf } from "./run_labels.ts";
import type { RunRequest } from "./run_request.ts";
import { isLent, type LentData } from "./run_secrets.ts";
import { whoseDependent } from "./whose_dependent.ts";

/** Reads what a run is to be lent, at the moment it is needed. */
export type Lend = (request: RunRequest, signal?: AbortSignal) => Promise<LentData>;

export interface RunsOptions {
  readonly client: Pick<Client, "create" | "get" | "patch" | "delete">;
  /** Without it a run that has to be lent a Secret is refused. */
  readonly lend?: Lend;
  /** Default: movers run under the default account of their namespace. */
  readonly accounts?: Pick<MoverAccounts, "in" | "again">;
}

export interface EnsureOptions extends CallOptions {
  /** Lets the Job go, if it is this one. */
  readonly resume?: { readonly uid: string };
}

/** How often a name that is taken and free again in turn is tried. */
const TRIES = 3;

/**
 * Makes and ends the objects of runs. Every step may be done again: whoever was stopped in the middle begins at the
 * start, and finds what is there. The Job comes first and owns the rest, so that nothing is ever without an owner.
 */
export class Runs {
  readonly #client: RunsOptions["client"];
  readonly #lend: Lend | undefined;
  readonly #accounts: RunsOptions["accounts"];

  constructor({ client, lend, accounts }: RunsOptions) {
    this.#client = client;
    this.#lend = lend;
    this.#accounts = accounts;
  }

  /** The run's Job, with all that it mounts. A Job that was let go, or is going, is left as it is. */
  async ensure(request: RunRequest, options: EnsureOptions = {}): Promise<Job> {
    const { resume, ...call } = options;
    const job = await this.#job(request, call);
    if (!job.spec?.suspend || isCancelled(job) || job.metadata.deletionTimestamp) return job;
    await this.#dependent(ConfigMaps, job, workConfigMap(request, job), call);
    if (isLent(request.secrets)) await this.#lendTo(request, job, call);
    return resume?.uid === job.metadata.uid ? this.#patch(job, { spec: { suspend: false } }, call) : job;
  }

  /** Rejects with a Failure where the run could not be lent what it needs. */
  async mayLend(request: RunRequest, signal?: AbortSignal): Promise<void> {
    if (isLent(request.secrets)) await this.#lent(request, signal);
  }

  /** Makes the movers' account of a namespace, which was seen to be missing. */
  async remakeAccount(namespace: string, call: CallOptions = {}): Promise<void> {
    await this.#accounts?.again(namespace, call);
  }

  /** Tells the mover to end: the Job's pod is deleted, and gets its grace period to clean up and report. */
  async cancel(job: Job, call: CallOptions = {}): Promise<void> {
    const patch = { metadata: { annotations: { [CANCELLED_ANNOTATION]: "true" } }, spec: { suspend: true } };
    await this.#patch(job, patch, call).catch(ignoreGone);
  }

  /** Removes the Job, and with it everything that it owns. */
  async remove(job: Job, call: CallOptions = {}): Promise<void> {
    await this.#client.delete(Jobs, job.metadata, {
      uid: job.metadata.uid,
      propagation: "Background",
      ...call,
    });
  }

  /**
   * Removes a pod whose node is dead, without waiting for the node's word. A Job that lives would keep the pod until
   * the node counted it as failed, so the Job goes first.
   */
  async reap(job: Job | undefined, pod: Pod, call: CallOptions = {}): Promise<void> {
    if (job) await this.remove(job, call);
    await this.#client.delete(Pods, pod.metadata, {
      uid: pod.metadata.uid,
      gracePeriodSeconds: 0,
      ...call,
    });
  }

  async #job(request: RunRequest, call: CallOptions): Promise<Job> {
    const draft = moverJob(await underAccount(request, this.#accounts, call));
    const job = await this.#createOrGet(Jobs, draft, call);
    const owned = job.metadata.ownerReferences?.some(({ uid }) => uid === request.owner.uid) ?? false;
    if (owned && runOf(job) === request.id) return job;
    throw foreign(`Job ${keyOf(job)}`, `${request.owner.kind} ${request.owner.name}`);
  }

  async #lendTo(request: RunRequest, job: Job, call: CallOptions): Promise<void> {
    const present = await this.#client.get(Secrets, job.metadata, call).catch(ignoreGone);
    if (present) return this.#checkDependent("Secret", present, job);
    const data = await this.#lent(request, call.signal);
    await this.#dependent(Secrets, job, lentSecret(request, job, data), call);
  }

  async #lent(request: RunRequest, signal: AbortSignal | undefined): Promise<LentData> {
    if (!this.#lend) {
      throw new Failure(
        "structural",
        "LendingOff",
        `the run ${request.id} needs credentials from another namespace, and lending them is switched off. ` +
          "Switch it on, or put a Secret into the run's own namespace.",
      );
    }
    return this.#lend(request, signal);
  }

  async #dependent<T extends KubeObject>(
    resource: Resource<T>,
    job: Job,
    draft: Draft<T>,
    call: CallOptions,
  ): Promise<void> {
    this.#checkDependent(resource.kind, await this.#createOrGet(resource, draft, call), job);
  }

  #checkDependent(kind: string, object: KubeObject, job: Job): void {
    const whose = whoseDependent(object, job);
    if (whose === "Own") return;
    const what = `${kind} ${keyOf(object)}`;
    throw whose === "Leftover" ? leftover(what) : foreign(what, `Job ${job.metadata.name}`);
  }

  async #createOrGet<T extends KubeObject>(
    resource: Resource<T>,
    draft: Draft<T>,
    call: CallOptions,
  ): Promise<T> {
    const { name = "", namespace } = draft.metadata;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#client.create(resource, draft, call);
      } catch (error) {
        if (!isAlreadyExists(error)) throw explained(error, `${resource.kind} ${keyOf({ namespace, name })}`);
        const present = await this.#client.get(resource, { namespace, name }, call).catch(ignoreGone);
        if (present) return present;
        if (tries === TRIES) throw error;
      }
    }
  }

  /** The UID in the patch has the server refuse it for another Job of the same name. */
  #patch(
    job: Job,
    patch: { readonly metadata?: object; readonly spec: object },
    call: CallOptions,
  ): Promise<Job> {
    const metadata = { ...patch.metadata, uid: job.metadata.uid };
    return this.#client.patch(Jobs, job.metadata, { type: "merge", patch: { ...patch, metadata } }, call);
  }
}

/** Whether the mover was told to end by us. */
export function isCancelled(job: Job): boolean {
  return job.metadata.annotations?.[CANCELLED_ANNOTATION] === "true";
}
