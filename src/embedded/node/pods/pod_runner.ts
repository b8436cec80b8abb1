import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Container } from "kubernetes-types/core/v1.d.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { type Pod, Pods } from "../../../kube/builtin.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import type { Processes } from "../../../lib/processes.ts";
import { messageOf } from "../../../lib/result.ts";
import type { NodePorts } from "../node_ports.ts";
import { type Containers, TERMINATION } from "./containers.ts";
import { type Image, invocation } from "./environment.ts";
import { KeyedDataReader, Unavailable } from "./keyed_data.ts";
import type { Mount } from "./launch_script.ts";
import { planPod, type Waiting } from "./pod_status.ts";
import { type ClaimFolder, PodVolumes } from "./pod_volumes.ts";
import { runAs } from "./security.ts";

export interface PodRunnerOptions extends NodePorts {
  readonly pods: Cache<Pod>;
  readonly containers: Containers;
  readonly processes: Processes;
  /** What stands for an image here; undefined for one that cannot run. */
  readonly images: (name: string) => Image | undefined;
  /** Throws Unavailable for a claim that cannot be mounted. */
  readonly claimFolder: (namespace: string, name: string) => Promise<ClaimFolder>;
  /** Let pods mount folders of the host. Default false. */
  readonly allowHostPath?: boolean;
}

/** Until something that a pod waits for is looked for again. */
const LOOK_AGAIN = 2_000;
const DEFAULT_GRACE = 30;

/** Thrown where a container has to wait; the reason is shown in the pod's status. */
class HeldUp extends Error {
  readonly waiting: Waiting;
  readonly event: string;

  constructor(waiting: Waiting, event: string, message = waiting.message ?? waiting.reason) {
    super(message);
    this.waiting = waiting;
    this.event = event;
  }
}

/** Runs the pods that are assigned to this node, as a kubelet does. */
export class PodRunner {
  readonly controller: Controller;
  readonly #options: PodRunnerOptions;
  /** The pods that were seen under a key and may have left something. */
  readonly #seen = new Map<ObjectKey, Set<string>>();
  /** Since when a pod is being stopped, by the monotonic clock. */
  readonly #stopping = new Map<string, number>();

  constructor(options: PodRunnerOptions) {
    const { pods, containers, clock, random, log } = options;
    this.#options = options;
    this.controller = new Controller({
      name: "pods",
      clock,
      random,
      log,
      concurrency: 8,
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
    const { client, containers, clock } = this.#options;
    const { uid, deletionTimestamp } = pod.metadata;
    const view = (waiting: ReadonlyMap<string, Waiting>) =>
      planPod({ pod, states: containers.states(uid), waiting, now: clock.now() });
    const { start } = view(new Map());
    const waiting = await this.#startAll(pod, start, signal);
    const plan = view(waiting);
    const written = await writeStatus(client, { resource: Pods, object: pod, status: plan.status }, { signal });
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
    rmSync(join(containers.podFolder(uid), "volumes"), { recursive: true, force: true });
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
      containers.signal(uid, "SIGTERM");
      for (const { name } of pod.spec?.containers ?? []) {
        events.event(pod, { type: "Normal", reason: "Killing", message: `Stopping container ${name}` });
      }
    }
    const left = seconds * 1000 - (clock.monotonic() - (since ?? clock.monotonic()));
    if (left > 0) return left;
    containers.signal(uid, "SIGKILL");
    return Number.POSITIVE_INFINITY;
  }

  /** Starts what can be started; the rest has to wait, each with its reason. */
  async #startAll(
    pod: Pod,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Waiting>> {
    const waiting = new Map<string, Waiting>();
    if (names.length === 0) return waiting;
    const { initContainers = [], containers = [] } = pod.spec ?? {};
    const wanted = [...initContainers, ...containers].filter(({ name }) => names.includes(name));
    const data = new KeyedDataReader(this.#options.client, pod.metadata.namespace ?? "", signal);
    const volumes = this.#volumesOf(pod, data);
    let prepared: Promise<void> | undefined;
    for (const container of wanted) {
      try {
        const image = this.#imageOf(container);
        prepared ??= this.#prepare(pod, volumes);
        await prepared;
        await this.#start(pod, container, image, volumes, data);
        this.#options.events.event(pod, {
          type: "Normal",
          reason: "Started",
          message: `Started container ${container.name}`,
        });
      } catch (error) {
        const heldUp = error instanceof HeldUp ? error : cannotCreate(error);
        waiting.set(container.name, heldUp.waiting);
        const message = heldUp.event === "Failed" ? `Error: ${heldUp.message}` : heldUp.message;
        this.#options.events.event(pod, { type: "Warning", reason: heldUp.event, message });
      }
    }
    return waiting;
  }

  #volumesOf(pod: Pod, data: KeyedDataReader): PodVolumes {
    const { containers, claimFolder, allowHostPath = false } = this.#options;
    return new PodVolumes({
      folder: join(containers.podFolder(pod.metadata.uid), "volumes"),
      data,
      claim: (name) => claimFolder(pod.metadata.namespace ?? "", name),
      allowHostPath,
    });
  }

  #imageOf({ image = "" }: Container): Image {
    const found = this.#options.images(image);
    if (found) return found;
    const message = `Container image "${image}" cannot run on this machine: it stands for no program here`;
    throw new HeldUp({ reason: "ErrImageNeverPull", message }, "ErrImageNeverPull");
  }

  async #prepare(pod: Pod, volumes: PodVolumes): Promise<void> {
    const { containers, processes } = this.#options;
    try {
      await volumes.prepare(pod);
    } catch (cause) {
      if (!(cause instanceof Unavailable)) throw cause;
      throw new HeldUp({ reason: "ContainerCreating" }, "FailedMount", cause.message);
    }
    const group = pod.spec?.securityContext?.fsGroup;
    if (group === undefined || containers.isolation !== "root") return;
    for (const folder of volumes.owned) await processes.run("sh", ["-c", GIVE_TO_GROUP, "sh", String(group), folder]);
  }

  async #start(
    pod: Pod,
    container: Container,
    image: Image,
    volumes: PodVolumes,
    data: KeyedDataReader,
  ): Promise<void> {
    const { containers } = this.#options;
    const { uid } = pod.metadata;
    const { name, workingDir = "/", terminationMessagePath = "/dev/termination-log" } = container;
    const attempt = { pod: uid, container: name, attempt: containers.states(uid).get(name)?.length ?? 0 };
    try {
      const mounts: Mount[] = [...volumes.mountsOf(container)].sort((a, b) => (a.target < b.target ? -1 : 1));
      const identity = runAs(pod, container, image);
      const { argv, env } = await invocation(pod, container, image, data);
      const words = join(containers.attemptFolder(attempt), TERMINATION);
      const all: Mount[] = [...mounts, { source: words, target: terminationMessagePath, readOnly: false, type: "file" }];
      const translated = containers.isolation === "none";
      if (translated && !image.translatesPaths) throw new HeldUp(NO_MOUNTS, "Failed");
      const map = Object.fromEntries(all.map(({ source, target }) => [target, source]));
      await containers.start(attempt, {
        argv,
        path: env.PATH ?? "",
        env: {
          HOME: identity.user ? "/" : "/root",
          ...env,
          ...(translated ? { HOLDFAST_PATH_MAP: JSON.stringify(map) } : {}),
        },
        workingDir,
        mounts: all,
        runAs: identity,
        readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
      });
    } catch (cause) {
      if (!(cause instanceof Unavailable)) throw cause;
      throw new HeldUp({ reason: "CreateContainerConfigError", message: cause.message }, "Failed");
    }
  }
}

/** Gives a folder to a group, unless its top shows that this was done before. */
const GIVE_TO_GROUP = `
[ "$(stat -c %g "$2")" = "$1" ] && [ -g "$2" ] && exit 0
chgrp -hR "$1" "$2" && chmod -R g+rwX "$2" && find "$2" -type d -exec chmod g+s {} +
`;

const NO_MOUNTS: Waiting = {
  reason: "CreateContainerError",
  message:
    "this machine offers no mount namespace, as root or in a user namespace, and the image's programs need real mount paths",
};

function cannotCreate(cause: unknown): HeldUp {
  return new HeldUp({ reason: "CreateContainerError", message: messageOf(cause) }, "Failed");
}
