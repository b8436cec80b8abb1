import { ApiError } from "../../../kube/api_error.ts";
import { type Job, Jobs, type Pod, Pods } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { toOwner } from "../../../kube/controller/to_owner.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { removeFinalizer } from "../../../kube/write/finalizers.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { messageOf } from "../../../lib/result.ts";
import { find } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";
import { isFinished, planJob, TRACKING } from "./job_plan.ts";

export interface JobRunnerOptions extends NodePorts {
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
}

/** What refuses a pod, such as a quota or a missing account, may be put right at any time: it is tried again soon. */
const REFUSED_AGAIN = 10_000;

/** Makes the pods of Jobs, counts their ends, and says how the Jobs stand. */
export class JobRunner {
  readonly controller: Controller;
  readonly #options: JobRunnerOptions;

  constructor(options: JobRunnerOptions) {
    const { jobs, pods } = options;
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "jobs",
      concurrency: 4,
      reconcile: (key, signal) => this.#reconcile(key, signal),
    })
      .watch(jobs)
      .watch(pods, { keys: toOwner(Jobs) });
  }

  /** Reads the Job and its pods anew: a pod counted or made from memory would be so twice. */
  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const job = await find(client, Jobs, parseKey(key), signal);
    const pods = await this.#podsOf(key, signal);
    const orphans = pods.filter((pod) => controllerOf(pod)?.uid !== job?.metadata.uid);
    await this.#release(job?.metadata.deletionTimestamp ? pods : orphans, signal);
    if (!job || job.metadata.deletionTimestamp) return done;
    return this.#act(
      job,
      pods.filter((pod) => !orphans.includes(pod)),
      signal,
    );
  }

  async #podsOf(key: ObjectKey, signal: AbortSignal): Promise<readonly Pod[]> {
    const { namespace = "", name } = parseKey(key);
    const { items } = await this.#options.client.list(Pods, { namespace, signal });
    return items.filter((pod) => controllerOf(pod)?.name === name);
  }

  async #act(job: Job, pods: readonly Pod[], signal: AbortSignal): Promise<Outcome> {
    const { client, clock, events } = this.#options;
    const plan = planJob({ job, pods, now: clock.now() });
    if (plan.expired) {
      const { uid, resourceVersion } = job.metadata;
      const options = { propagation: "Foreground", uid, resourceVersion, signal } as const;
      await client.delete(Jobs, job.metadata, options);
      return done;
    }
    const made = await this.#createAll(job, plan.create, signal);
    const active = (plan.status.active ?? 0) + made.count;
    const status = active > 0 ? { ...plan.status, active } : plan.status;
    const written = await writeStatus(client, { resource: Jobs, object: job, status }, { signal });
    for (const note of plan.notes) events.event(job, note);
    await this.#release(plan.release, signal);
    for (const pod of plan.remove) {
      const { uid, name } = pod.metadata;
      await client.delete(Pods, pod.metadata, { uid, signal });
      events.event(job, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${name}` });
    }
    if (made.error instanceof ApiError) return requeueAfter(REFUSED_AGAIN);
    if (made.error) throw made.error;
    if (plan.wakeAt !== undefined) return requeueAfter(Math.max(1, plan.wakeAt - clock.now()));
    // The counts follow from pods that are released now; nothing but this reconcile may come to tell.
    return plan.release.length > 0 && !isFinished(written) ? requeueAfter(1) : done;
  }

  /** Makes what can be made: the status tells of it although the rest failed. */
  async #createAll(
    job: Job,
    wanted: number,
    signal: AbortSignal,
  ): Promise<{ count: number; error?: unknown }> {
    for (let count = 0; count < wanted; count++) {
      try {
        await this.#create(job, signal);
      } catch (error) {
        return { count, error };
      }
    }
    return { count: wanted };
  }

  async #create(job: Job, signal: AbortSignal): Promise<void> {
    const { client, events } = this.#options;
    const { name, namespace } = job.metadata;
    const template = job.spec?.template;
    const owner = { resource: Jobs, object: job };
    const draft = {
      metadata: {
        generateName: `${name}-`,
        ...(namespace === undefined ? {} : { namespace }),
        ...(template?.metadata?.labels ? { labels: template.metadata.labels } : {}),
        ...(template?.metadata?.annotations ? { annotations: template.metadata.annotations } : {}),
        finalizers: [TRACKING],
        ownerReferences: [ownerReference({ owner, dependent: { resource: Pods, namespace } })],
      },
      ...(template?.spec ? { spec: template.spec } : {}),
    };
    try {
      const pod = await client.create(Pods, draft, { signal });
      events.event(job, {
        type: "Normal",
        reason: "SuccessfulCreate",
        message: `Created pod: ${pod.metadata.name}`,
      });
    } catch (error) {
      events.event(job, {
        type: "Warning",
        reason: "FailedCreate",
        message: `Error creating: ${error instanceof ApiError ? error.said : messageOf(error)}`,
      });
      throw error;
    }
  }

  async #release(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    for (const pod of pods) {
      await removeFinalizer(
        this.#options.client,
        { resource: Pods, object: pod, finalizer: TRACKING },
        { signal },
      );
    }
  }
}

function controllerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === Jobs.kind);
}
