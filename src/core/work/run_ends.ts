import type { Pod } from "../../kube/builtin.ts";
import type { Change } from "../../kube/cache/cache.ts";
import { groupOf } from "../../kube/object.ts";
import type { EndedRun, RunEnd, RunEndObserver } from "../../observe/observers.ts";
import { EXIT_CODES } from "../../wire/exit_codes.ts";
import { moverContainer } from "./mover_container.ts";
import type { RunCaches } from "./run_caches.ts";
import { operationOf, ownerIn, runOf } from "./run_labels.ts";

/**
 * Tells of every mover's end that is seen while it follows. From pods, as a Job may be removed before it knows that its
 * pod has ended.
 */
export function runEnds({ pods }: Pick<RunCaches, "pods">, observer: RunEndObserver) {
  return {
    start: () =>
      pods.onChange((change) => {
        const end = endIn(change);
        if (end) observer.runEnded(end);
      }),
  };
}

/** How the mover ended that a change of its pod tells of; undefined for any other change. */
function endIn(change: Change<Pod>): RunEnd | undefined {
  if (change.type === "added") return undefined;
  const operation = operationOf(change.previous);
  if (operation === undefined) return undefined;
  const before = moverContainer(change.previous).type;
  if (before === "ended") return undefined;
  if (change.type === "updated") return endOf(change.object, operation);
  // What never ran has nothing to tell.
  return before === "running" ? { operation, result: "lost", run: endedRun(change.previous) } : undefined;
}

function endOf(pod: Pod, operation: string): RunEnd | undefined {
  const container = moverContainer(pod);
  if (container.type !== "ended") return undefined;
  const { exitCode } = container.terminated ?? {};
  const run = endedRun(pod);
  const seconds = ((run.endedAt ?? Number.NaN) - (run.startedAt ?? Number.NaN)) / 1000;
  return { operation, result: resultOf(exitCode), ...(seconds >= 0 ? { seconds } : {}), run };
}

function endedRun(pod: Pod): EndedRun {
  const { name, namespace = "", creationTimestamp } = pod.metadata;
  const { apiVersion = "", kind, name: owner } = ownerIn(pod);
  const container = moverContainer(pod);
  const terminated = container.type === "ended" ? container.terminated : undefined;
  const startedAt = container.type === "running" ? container.startedAt : terminated?.startedAt;
  return {
    namespace,
    name: runOf(pod),
    pod: name,
    ...(pod.spec?.nodeName ? { node: pod.spec.nodeName } : {}),
    ...(kind && owner ? { owner: { group: groupOf({ apiVersion }), kind, name: owner } } : {}),
    ...at("createdAt", creationTimestamp),
    ...at("startedAt", startedAt),
    ...at("endedAt", terminated?.finishedAt),
  };
}

function at(name: string, time: string | undefined): object {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? {} : { [name]: ms };
}

function resultOf(exitCode: number | undefined): RunEnd["result"] {
  if (exitCode === undefined) return "lost";
  if (exitCode === 0) return "succeeded";
  return exitCode === EXIT_CODES.Cancelled ? "cancelled" : "failed";
}
