import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import { Nodes } from "../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../kube/client.ts";
import type { NodeTruth } from "./observed_run.ts";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/**
 * What is known of a node. One that does not answer is not dead: its pods may go on working, out of everybody's
 * sight. It is dead when it has left the cluster, or when an administrator says so with the taint for that.
 */
export async function nodeTruth(
  reader: Pick<Reader, "get">,
  name: string | undefined,
  call: CallOptions = {},
): Promise<NodeTruth> {
  // No node has ever had the pod.
  if (!name) return "Dead";
  try {
    const { spec, status } = await reader.get(Nodes, { name }, call);
    if (spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE)) return "Dead";
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return ready?.status === "True" ? "Ready" : "Silent";
  } catch (error) {
    if (isNotFound(error)) return "Dead";
    if (isForbidden(error)) return "Unknown";
    throw error;
  }
}
