import type {
  Container,
  ContainerStatus,
  ContainerState as KubeState,
  PodCondition,
  PodStatus,
} from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../../kube/builtin.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { ContainerState } from "./containers.ts";

/** Why a container is not started yet. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

export interface PodView {
  readonly pod: Pod;
  /** The attempts of each container, oldest first. */
  readonly states: ReadonlyMap<string, readonly ContainerState[]>;
  /** What holds up a container that should be started. */
  readonly waiting: ReadonlyMap<string, Waiting>;
  readonly now: number;
}

export interface PodPlan {
  readonly status: PodStatus;
  /** The containers to start now, by name: each as its next attempt. */
  readonly start: readonly string[];
  /** Nothing runs any more, and nothing will. */
  readonly over: boolean;
  /** When to look again, if nothing happens sooner. */
  readonly wakeAt: number | undefined;
}

/** Delays before the second restart and those after it; the first one comes at once. */
const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 300_000;
const DEADLINE_REASON = "DeadlineExceeded";

type Step =
  | { readonly type: "start" | "running" | "done" | "failed" | "stopped" }
  | { readonly type: "backoff"; readonly until: number; readonly delay: number };

/** What a pod's containers should do next, and the status that says how it stands. Pure. */
export function planPod(view: PodView): PodPlan {
  const { pod, now } = view;
  const spec = pod.spec;
  const inits = spec?.initContainers ?? [];
  const mains = spec?.containers ?? [];
  const deadline = deadlineOf(pod);
  const late = deadline !== undefined && now >= deadline;
  const stopping = pod.metadata.deletionTimestamp !== undefined || late;

  const step = (container: Container, init: boolean) =>
    stepOf(
      view,
      container,
      init && spec?.restartPolicy === "Always" ? "OnFailure" : spec?.restartPolicy,
      stopping,
    );
  const initSteps = inits.map((container) => step(container, true));
  const reached = initSteps.findIndex(({ type }) => type !== "done");
  const initialized = reached < 0;
  const mainSteps = mains.map((container) => step(container, false));

  const turn = initialized ? mains : inits.slice(reached, reached + 1);
  const turnSteps = initialized ? mainSteps : initSteps.slice(reached, reached + 1);
  const start = turn.filter((_, i) => turnSteps[i]?.type === "start").map(({ name }) => name);
  const ended = (s: Step) => s.type === "done" || s.type === "failed" || s.type === "stopped";
  const over = turnSteps.every(ended);
  const failed = late || turnSteps.some(({ type }) => type === "failed" || type === "stopped");
  const begun = initialized && mains.some(({ name }) => view.states.has(name));
  const phase = over ? (failed ? "Failed" : "Succeeded") : begun ? "Running" : "Pending";
  const wakes = [
    ...turnSteps.flatMap((s) => (s.type === "backoff" ? [s.until] : [])),
    ...(deadline === undefined || late ? [] : [deadline]),
  ];

  const statuses = (containers: readonly Container[], steps: readonly Step[], from: number) =>
    containers.map((container, i) => statusOf(view, container, steps[i], i > from, stopping && over));
  const containerStatuses = statuses(mains, mainSteps, initialized ? mains.length : -1);
  const initContainerStatuses = statuses(inits, initSteps, initialized ? inits.length : reached);
  const status: PodStatus = {
    ...pod.status,
    ...(late
      ? { reason: DEADLINE_REASON, message: "Pod was active on the node longer than the specified deadline" }
      : {}),
    phase,
    startTime: pod.status?.startTime ?? timestamp(now),
    hostIP: "127.0.0.1",
    hostIPs: [{ ip: "127.0.0.1" }],
    podIP: "127.0.0.1",
    podIPs: [{ ip: "127.0.0.1" }],
    ...(inits.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
    conditions: conditionsOf(view, { phase, initialized, containerStatuses, initContainerStatuses }),
  };
  return { status, start, over, wakeAt: wakes.length > 0 ? Math.min(...wakes) : undefined };
}

function deadlineOf({ spec, status }: Pod): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || status?.startTime === undefined) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
}

function stepOf(view: PodView, container: Container, policy: string | undefined, stopping: boolean): Step {
  const states = view.states.get(container.name) ?? [];
  const last = states.at(-1);
  if (last?.type === "running") return { type: "running" };
  if (!last) return { type: stopping ? "stopped" : "start" };
  const restarts = !stopping && (policy === "OnFailure" ? last.code !== 0 : policy !== "Never");
  if (!restarts) return { type: last.code === 0 ? "done" : "failed" };
  const delay = states.length === 1 ? 0 : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (states.length - 2));
  const until = last.finishedAt + delay;
  return view.now >= until ? { type: "start" } : { type: "backoff", until, delay };
}

/** `later`: other containers have to be through first. */
function statusOf(
  view: PodView,
  container: Container,
  step: Step | undefined,
  later: boolean,
  gone: boolean,
): ContainerStatus {
  const { pod } = view;
  const { name, image = "" } = container;
  const states = view.states.get(name) ?? [];
  const last = states.at(-1);
  const restarting = last?.type === "exited" && (step?.type === "start" || step?.type === "backoff");
  const previous = restarting ? last : states.at(-2);
  const running = last?.type === "running";
  const id = (attempt: number) => `holdfast://${pod.metadata.uid}/${name}/${attempt}`;
  const attempts = states.length;

  let state: KubeState;
  if (running) state = { running: { startedAt: timestamp(last.startedAt) } };
  else if (last && !restarting) state = { terminated: terminated(last, id(attempts - 1)) };
  else if (gone) state = { terminated: UNLOCATED };
  else if (step?.type === "backoff") {
    const message = `back-off ${step.delay / 1000}s restarting failed container=${name} pod=${podName(pod)}`;
    state = { waiting: { reason: "CrashLoopBackOff", message } };
  } else {
    const reason = later ? "PodInitializing" : "ContainerCreating";
    state = { waiting: view.waiting.get(name) ?? { reason } };
  }
  const lastAttempt = restarting ? attempts - 1 : attempts - 2;
  return {
    name,
    image,
    imageID: attempts > 0 ? image : "",
    ...(attempts > 0 ? { containerID: id(attempts - 1) } : {}),
    state,
    lastState: previous?.type === "exited" ? { terminated: terminated(previous, id(lastAttempt)) } : {},
    ready: running || (step?.type === "done" && isInit(pod, name)),
    started: running,
    restartCount: Math.max(0, attempts - 1),
  };
}

/** The words of a kubelet for a container that was never seen to end. */
const UNLOCATED = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
};

function terminated(state: ContainerState, containerID: string): NonNullable<KubeState["terminated"]> {
  if (state.type === "running") throw new TypeError("a running container has no end");
  const { code, how, message, startedAt, finishedAt } = state;
  const times = { startedAt: timestamp(startedAt), finishedAt: timestamp(finishedAt), containerID };
  if (how === "lost") return { ...UNLOCATED, ...times };
  const reason = how === "notStarted" ? "StartError" : code === 0 ? "Completed" : "Error";
  return { exitCode: code, reason, ...(message ? { message } : {}), ...times };
}

interface Progress {
  readonly phase: string;
  readonly initialized: boolean;
  readonly containerStatuses: readonly ContainerStatus[];
  readonly initContainerStatuses: readonly ContainerStatus[];
}

function conditionsOf({ pod, now, states }: PodView, progress: Progress): PodCondition[] {
  const { phase, initialized, containerStatuses, initContainerStatuses } = progress;
  const unready = containerStatuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const incomplete = initContainerStatuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const over = phase === "Succeeded" || phase === "Failed";
  const completed = phase === "Succeeded" ? { reason: "PodCompleted" } : {};
  const notReady =
    phase === "Succeeded"
      ? { reason: "PodCompleted" }
      : phase === "Failed"
        ? { reason: "PodFailed" }
        : { reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
  const ready = unready.length === 0 && !over ? { status: "True" } : { status: "False", ...notReady };
  const wanted = [
    { type: "PodReadyToStartContainers", status: states.size > 0 && !over ? "True" : "False" },
    initialized
      ? { type: "Initialized", status: "True", ...completed }
      : {
          type: "Initialized",
          status: "False",
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${incomplete.join(" ")}]`,
        },
    { type: "Ready", ...ready },
    { type: "ContainersReady", ...ready },
    { type: "PodScheduled", status: "True" },
  ];
  return wanted.map((condition) => {
    const before = pod.status?.conditions?.find(({ type }) => type === condition.type);
    const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
    const { generation } = pod.metadata;
    return {
      ...condition,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime: since ?? timestamp(now),
    };
  });
}

function isInit(pod: Pod, name: string): boolean {
  return pod.spec?.initContainers?.some((container) => container.name === name) ?? false;
}

function podName({ metadata: { name, namespace, uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}
