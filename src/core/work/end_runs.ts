import { Jobs } from "../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { OWNER_LABEL, ownerLabel, RUN_LABEL } from "./run_labels.ts";

/** Ends the runs that have all of these labels, in one namespace: their movers are told to end. */
export async function endRuns(
  writer: Pick<Writer, "deleteCollection">,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  call: CallOptions = {},
): Promise<void> {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const labelSelector = [RUN_LABEL, ...wanted].join(",");
  await writer.deleteCollection(Jobs, { namespace, labelSelector, propagation: "Background", ...call });
}

/** Ends every run of an owner. */
export function endRunsOf(
  writer: Pick<Writer, "deleteCollection">,
  { metadata }: KubeObject,
  call: CallOptions = {},
): Promise<void> {
  return endRuns(writer, metadata.namespace ?? "", { [OWNER_LABEL]: ownerLabel(metadata) }, call);
}
