import type { PodSpec } from "kubernetes-types/core/v1.d.ts";
import { ignoreGone } from "../../kube/api_error.ts";
import { DaemonSets, Pods } from "../../kube/builtin.ts";
import type { Reader } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { NODE_AGENT } from "./data_path/inherited.ts";

/** Which pods Velero's server takes for node agents. */
const AGENTS = "role=node-agent";

/**
 * Whether what Velero's own node agent has begun may still come to an end there: an agent of its is there, or may come
 * back, or its mover for this object works, which has the object's name and ends by itself.
 */
export async function isForeignWork(
  client: Pick<Reader, "get" | "list">,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = "", name } = metadata;
  const agent = { namespace, name: NODE_AGENT };
  const [daemonSet, pods, mover] = await Promise.all([
    client.get(DaemonSets, agent, { signal }).catch(ignoreGone),
    client.list(Pods, { namespace, labelSelector: AGENTS, signal }),
    client.get(Pods, { namespace, name }, { signal }).catch(ignoreGone),
  ]);
  const template = daemonSet?.spec?.template.spec;
  return (
    (template !== undefined && isForeignAgent(template)) ||
    pods.items.some(({ spec, status }) => spec && isForeignAgent(spec) && !isOver(status)) ||
    mover?.status?.phase === "Running"
  );
}

/** Pure: whether pods like this are another's node agents. Ours hold the place, and do nothing else. */
export function isForeignAgent({ containers }: Pick<PodSpec, "containers">): boolean {
  return !containers.some(
    ({ command, args = [] }) => !command && args.length === 1 && args[0] === "node-agent",
  );
}

function isOver(status: { readonly phase?: string } | undefined): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
