import { ignoreGone, isForbidden } from "../../kube/api_error.ts";
import { Events, type Job, Jobs, type Pod, Pods } from "../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Clock } from "../../lib/clock.ts";
import { FirstSeen } from "./first_seen.ts";
import { type HeardReport, NOTHING_HEARD } from "./heard_report.ts";
import { moverContainer } from "./mover_container.ts";
import { DEFAULT_GRACE } from "./mover_job.ts";
import { nodeTruth } from "./node_truth.ts";
import type { ObservedRun, OverduePod } from "./observed_run.ts";
import { BY_OWNER, type RunCaches } from "./run_caches.ts";
import { ownerLabel, RUN_LABEL, runOf } from "./run_labels.ts";
import { FIRST_ATTEMPT, type RunRecord } from "./run_record.ts";
import type { RunReports } from "./run_reports.ts";
import type { RunTask } from "./run_request.ts";
import { isCancelled } from "./runs.ts";
import { isFinished } from "./state_of_run.ts";
import { currentRequest } from "./task_requests.ts";

export interface RunObserverOptions {
  readonly caches: RunCaches;
  readonly reader: Pick<Reader, "get" | "list">;
  readonly reports: RunReports;
  readonly clock: Clock;
}

/** A run that is not on its way for this long is asked for its events. */
const PATIENCE = 3_000;
/** What a pod gets beyond its grace period before its node is looked at. */
const OVERDUE = 30_000;

/** Looks at runs: in the caches, and past them only where something that should be there is not. */
export class RunObserver {
  readonly #options: RunObserverOptions;
  readonly #seen: FirstSeen;

  constructor(options: RunObserverOptions) {
    this.#options = options;
    this.#seen = new FirstSeen(options.clock);
  }

  /** Every run of the task's owner. */
  async observe(
    task: RunTask,
    record: RunRecord | undefined,
    call: CallOptions = {},
  ): Promise<readonly ObservedRun[]> {
    const { caches } = this.#options;
    const owner = ownerLabel(task.owner);
    const jobs = new Map(here(caches.jobs.indexed(BY_OWNER, owner), task).map((job) => [runOf(job), job]));
    const pods = new Map<string, Pod>();
    for (const pod of here(caches.pods.indexed(BY_OWNER, owner), task)) {
      const other = pods.get(runOf(pod));
      if (!other || other.metadata.creationTimestamp <= pod.metadata.creationTimestamp)
        pods.set(runOf(pod), pod);
    }
    if (record?.job && !record.outcome) await this.#addCurrent(task, record, { jobs, pods }, call);
    const current = record?.outcome ? undefined : currentRequest(task, record ?? FIRST_ATTEMPT).id;
    const ids = new Set([...jobs.keys(), ...pods.keys(), ...(current ? [current] : [])]);
    return Promise.all(
      [...ids].map(async (id) => {
        const seen = { id, ...given("job", jobs.get(id)), ...given("pod", pods.get(id)) };
        const run = { ...seen, ...given("overdue", await this.#overdue(seen.pod, call)) };
        return id === current ? this.#listen(run, call) : { ...run, report: NOTHING_HEARD, events: [] };
      }),
    );
  }

  /** What a cache does not have may only not have arrived yet: before something counts as lost, the server is asked. */
  async #addCurrent(
    task: RunTask,
    record: RunRecord,
    found: { readonly jobs: Map<string, Job>; readonly pods: Map<string, Pod> },
    call: CallOptions,
  ): Promise<void> {
    const { reader } = this.#options;
    const { id, namespace } = currentRequest(task, record);
    let job = found.jobs.get(id);
    if (!job) {
      job = await reader.get(Jobs, { namespace, name: id }, call).catch(ignoreGone);
      if (job) found.jobs.set(id, job);
    }
    const over = !job || isFinished(job) || isCancelled(job);
    if (!over || found.pods.has(id)) return;
    const { items } = await reader.list(Pods, { namespace, labelSelector: `${RUN_LABEL}=${id}`, ...call });
    const newest = items
      .toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))
      .at(-1);
    if (newest) found.pods.set(id, newest);
  }

  /** What the current run says, itself or by its events. Of all others that is in the record. */
  async #listen(run: Omit<ObservedRun, "report" | "events">, call: CallOptions): Promise<ObservedRun> {
    const [report, events] = await Promise.all([
      this.#report(run.id, run.pod, call),
      this.#events(run.job, run.pod, call),
    ]);
    return { ...run, report, events };
  }

  async #report(id: string, pod: Pod | undefined, call: CallOptions): Promise<HeardReport> {
    const { reports } = this.#options;
    if (!pod) return reports.heard(id);
    const { type } = moverContainer(pod);
    if (type === "running") return reports.follow(pod);
    return type === "ended" ? reports.collect(pod, call.signal) : reports.heard(id);
  }

  /** Nothing is asked of a run that runs, or has only just been let go. */
  async #events(
    job: Job | undefined,
    pod: Pod | undefined,
    call: CallOptions,
  ): Promise<ObservedRun["events"]> {
    const about = pod ?? job;
    const waits = pod
      ? moverContainer(pod).type === "waiting"
      : job && !job.spec?.suspend && !isFinished(job);
    if (!about || !waits || this.#seen.age(`waiting ${about.metadata.uid}`) < PATIENCE) return [];
    return this.#eventsOf(about, call);
  }

  /** Without the right to read events the reason stays unknown, and everything else works. */
  async #eventsOf({ metadata }: KubeObject, call: CallOptions): Promise<ObservedRun["events"]> {
    const { namespace, uid } = metadata;
    const fieldSelector = `involvedObject.uid=${uid},type=Warning`;
    const select = { fieldSelector, omitManagedFields: true, ...(namespace ? { namespace } : {}) };
    try {
      return (await this.#options.reader.list(Events, { ...select, ...call })).items;
    } catch (error) {
      if (isForbidden(error)) return [];
      throw error;
    }
  }

  async #overdue(pod: Pod | undefined, call: CallOptions): Promise<OverduePod | undefined> {
    if (!pod?.metadata.deletionTimestamp || moverContainer(pod).type === "ended") return undefined;
    const grace = pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE;
    if (this.#seen.age(`ending ${pod.metadata.uid}`) < grace * 1000 + OVERDUE) return undefined;
    return { node: await nodeTruth(this.#options.reader, pod.spec?.nodeName, call) };
  }
}

/** The field, where it has a value. */
function given<K extends string, T>(name: K, value: T | undefined): { readonly [k in K]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [k in K]?: T };
}

function here<T extends KubeObject>(objects: readonly T[], { namespace }: RunTask): readonly T[] {
  return objects.filter(({ metadata }) => metadata.namespace === namespace);
}
