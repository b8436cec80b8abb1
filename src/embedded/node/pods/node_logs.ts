import { ApiError } from "../../../kube/api_error.ts";
import { type Pod, Pods } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";
import type { ObjectName } from "../../../kube/object.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { PodLogRequest, PodLogs } from "../../api/pod_logs.ts";
import type { Containers } from "./containers.ts";

export interface NodeLogsOptions {
  readonly reader: Pick<Reader, "get">;
  readonly containers: Containers;
  readonly clock: Clock;
}

/** The logs of the containers on this node. */
export class NodeLogs implements PodLogs {
  readonly #options: NodeLogsOptions;

  constructor(options: NodeLogsOptions) {
    this.#options = options;
  }

  async *read(name: ObjectName, request: PodLogRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { reader, containers, clock } = this.#options;
    const { follow, previous, timestamps, tailLines, sinceSeconds, limitBytes = Infinity } = request;
    const pod = await reader.get(Pods, name, { signal });
    const container = containerOf(pod, request.container);
    const attempts = containers.states(pod.metadata.uid).get(container)?.length ?? 0;
    if (previous && attempts < 2) {
      throw refusal(`previous terminated container "${container}" in pod "${name.name}" not found`);
    }
    if (attempts === 0) {
      const why = waitingReason(pod, container);
      throw refusal(`container "${container}" in pod "${name.name}" is waiting to start: ${why}`);
    }
    const log = containers.log({
      pod: pod.metadata.uid,
      container,
      attempt: attempts - (previous ? 2 : 1),
    });
    const since = sinceSeconds === undefined ? undefined : clock.now() - sinceSeconds * 1000;
    let left = limitBytes;
    for await (const chunk of log.read(
      { follow: follow && !previous, timestamps, tailLines, since },
      signal,
    )) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
  }
}

function containerOf({ metadata, spec }: Pod, wanted: string | undefined): string {
  const main = (spec?.containers ?? []).map(({ name }) => name);
  const first = (spec?.initContainers ?? []).map(({ name }) => name);
  const names = [...main, ...first];
  if (wanted === undefined) {
    const [only] = main;
    if (main.length === 1 && only) return only;
    const choice = `choose one of: [${main.join(" ")}]${first.length > 0 ? ` or one of the init containers: [${first.join(" ")}]` : ""}`;
    throw refusal(`a container name must be specified for pod ${metadata.name}, ${choice}`);
  }
  if (!names.includes(wanted)) throw refusal(`container ${wanted} is not valid for pod ${metadata.name}`);
  return wanted;
}

function waitingReason({ status }: Pod, container: string): string {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return all.find(({ name }) => name === container)?.state?.waiting?.reason ?? "ContainerCreating";
}

function refusal(message: string): ApiError {
  return new ApiError({ request: "logs", code: 400, status: { code: 400, reason: "BadRequest", message } });
}
