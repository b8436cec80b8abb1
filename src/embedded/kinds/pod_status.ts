import { ageOf } from "./age.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./fields.ts";

/** What `kubectl get pods` says of a pod's state. */
export interface PodSummary {
  /** Ready containers of all. */
  readonly ready: string;
  readonly reason: string;
  readonly restarts: string;
}

/** What a pod's containers, taken together, are doing. */
export function summarizePod(pod: Fields, now: number): PodSummary {
  const [spec, status] = [fieldsOf(pod.spec), fieldsOf(pod.status)];
  const initStatuses = listOf(status.initContainerStatuses);
  const statuses = listOf(status.containerStatuses);
  const initReason = initializing(initStatuses, listOf(spec.initContainers).length);
  const started = initReason === undefined || isTrue(status.conditions, "Initialized");
  const running = statuses.filter((container) => container.ready && fieldsOf(container.state).running);
  return {
    ready: `${started ? running.length : 0}/${listOf(spec.containers).length}`,
    reason: reasonOf(pod, started ? (runReason(status, statuses, running.length) ?? initReason) : initReason),
    restarts: restartsOf(started ? statuses : initStatuses, now),
  };
}

function reasonOf(pod: Fields, containers: string | undefined): string {
  const status = fieldsOf(pod.status);
  const phase = textOf(status.phase);
  if (fieldsOf(pod.metadata).deletionTimestamp && phase !== "Succeeded" && phase !== "Failed")
    return "Terminating";
  return containers ?? (textOf(status.reason) || phase);
}

/** Why the containers do not run yet, or undefined when all init containers are through. */
function initializing(statuses: readonly Fields[], total: number): string | undefined {
  for (const [i, container] of statuses.entries()) {
    const { terminated, waiting } = fieldsOf(container.state);
    if (terminated !== undefined && fieldsOf(terminated).exitCode === 0) continue;
    if (terminated !== undefined) return `Init:${endReason(fieldsOf(terminated))}`;
    const reason = textOf(fieldsOf(waiting).reason);
    return reason && reason !== "PodInitializing" ? `Init:${reason}` : `Init:${i}/${total}`;
  }
  return undefined;
}

/** What the first container that says something says. */
function runReason(status: Fields, statuses: readonly Fields[], running: number): string | undefined {
  for (const container of statuses) {
    const { terminated, waiting } = fieldsOf(container.state);
    const waits = textOf(fieldsOf(waiting).reason);
    const reason = waits || (terminated === undefined ? "" : endReason(fieldsOf(terminated)));
    if (reason === "") continue;
    if (reason !== "Completed" || running === 0) return reason;
    return isTrue(status.conditions, "Ready") ? "Running" : "NotReady";
  }
  return undefined;
}

function endReason({ reason, signal, exitCode }: Fields): string {
  return textOf(reason) || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

function restartsOf(containers: readonly Fields[], now: number): string {
  const count = containers.reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);
  const ends = containers.map(({ lastState }) => textOf(fieldsOf(fieldsOf(lastState).terminated).finishedAt));
  const last = ends.sort().at(-1);
  return count > 0 && last ? `${count} (${ageOf(last, now)} ago)` : String(count);
}

/** Whether a condition holds. */
export function isTrue(conditions: unknown, type: string): boolean {
  return listOf(conditions).some((condition) => condition.type === type && condition.status === "True");
}
