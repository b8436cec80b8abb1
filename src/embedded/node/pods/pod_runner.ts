import { type Pod, Pods } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import type { NodePorts } from "../node_ports.ts";
import type { ContainerStarter } from "./container_starter.ts";
import type { Containers } from "./containers.ts";
import { planPod, type Waiting } from "./pod_status.ts";

export interface PodRunnerOptions extends NodePorts {
  readonly pods: Cache<Pod>;
  readonly containers: Containers;
  readonly starter: ContainerStarter;
}

/** Until something that a pod waits for is looked for again. */
const LOOK_AGAIN = 2_000;
const DEFAULT_GRACE = 30;
/** Giving a large volume to a group takes its time. */
const LONGEST_START = 3_600_000;

/** Runs the pods that are assigned to this node, as a kubelet does. */
export class PodRunner {
  readonly controller: Controller;
  readonly #options: PodRunnerOptions;
  /** The pods that were seen under a key and may have left something. */
  readonly #seen = new Map<ObjectKey, Set<string>>();
  /** Since when a pod is being stopped, by the monotonic clock. */
  readonly #stopping = new Map<string, number>();

  constructor(options: PodRunnerOptions) {
    const { pods, containers } = options;
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "pods",
      concurrency: 8,
      deadline: LONGEST_START,
      reconcile: (key, signal) => this.#reconcile(key, signal),
    }).watch(pods);
    containers.onExit((uid) => {
      for (const [key, uids] of this.#seen) if (uids.has(uid)) this.controller.enqueue(key);
    });
  }

  /** Ends and removes what is left of pods that are no more. The cache must be synced. */
  async sweep(): Promise<void> {
    const { pods, containers } = this.#options;
    const present = new Set([...pods.values()].map(({ metadata }) => metadata.uid));
    await Promise.all(
      containers
        .pods()
        .filter((uid) => !present.has(uid))
        .map((uid) => containers.remove(uid)),
    );
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { pods, nodeName } = this.#options;
    const pod = pods.get(key);
    await this.#forgetOthers(key, pod?.metadata.uid);
    if (pod?.spec?.nodeName !== nodeName) return done;
    this.#seen.set(key, (this.#seen.get(key) ?? new Set()).add(pod.metadata.uid));
    const { phase } = pod.status ?? {};
    if (phase !== "Succeeded" && phase !== "Failed") return this.#drive(pod, signal);
    await this.#finish(pod, signal);
    return done;
  }

  async #forgetOthers(key: ObjectKey, present: string | undefined): Promise<void> {
    const uids = this.#seen.get(key);
    for (const uid of uids ?? []) {
      if (uid === present) continue;
      await this.#options.containers.remove(uid);
      this.#stopping.delete(uid);
      uids?.delete(uid);
    }
    if (uids?.size === 0) this.#seen.delete(key);
  }

  async #drive(pod: Pod, signal: AbortSignal): Promise<Outcome> {
    const { client, containers, starter, clock } = this.#options;
    const { uid, deletionTimestamp } = pod.metadata;
    const view = (waiting: ReadonlyMap<string, Waiting>) =>
      planPod({ pod, states: containers.states(uid), waiting, now: clock.now() });
    const { start } = view(new Map());
    const waiting = await starter.start(pod, start, signal);
    const plan = view(waiting);
    const written = await writeStatus(
      client,
      { resource: Pods, object: pod, status: plan.status },
      { signal },
    );
    if (plan.over) {
      await this.#finish(written, signal);
      return done;
    }
    const killIn = deletionTimestamp || plan.status.reason ? this.#stop(pod) : Number.POSITIVE_INFINITY;
    const wakeIn = plan.wakeAt === undefined ? Number.POSITIVE_INFINITY : plan.wakeAt - clock.now();
    const next = Math.min(killIn, wakeIn, waiting.size > 0 ? LOOK_AGAIN : Number.POSITIVE_INFINITY);
    return Number.isFinite(next) ? requeueAfter(Math.max(next, 1)) : done;
  }

  /** Nothing runs any more: what a terminated pod does not need goes, and so does a deleted pod itself. */
  async #finish(pod: Pod, signal: AbortSignal): Promise<void> {
    const { client, containers } = this.#options;
    const { uid, deletionTimestamp } = pod.metadata;
    await containers.removeVolumes(uid);
    if (deletionTimestamp === undefined) return;
    await client.delete(Pods, pod.metadata, { gracePeriodSeconds: 0, uid, signal });
  }

  /** Asks the containers to end, and kills them when their time is up. Returns when that is, from now. */
  #stop(pod: Pod): number {
    const { containers, clock, events } = this.#options;
    const { uid, deletionGracePeriodSeconds } = pod.metadata;
    const seconds = deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE;
    const since = this.#stopping.get(uid);
    if (since === undefined) {
      this.#stopping.set(uid, clock.monotonic());
      containers.terminate(uid);
      for (const { name } of pod.spec?.containers ?? []) {
        events.event(pod, { type: "Normal", reason: "Killing", message: `Stopping container ${name}` });
      }
    }
    const left = seconds * 1000 - (clock.monotonic() - (since ?? clock.monotonic()));
    if (left > 0) return left;
    containers.kill(uid);
    return Number.POSITIVE_INFINITY;
  }
}
