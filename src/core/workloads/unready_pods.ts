import type { Pod } from "../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../kube/client.ts";
import { keyOf } from "../../kube/object.ts";
import { OWNER_LABEL } from "../work/run_labels.ts";
import { type ClaimName, podsUsing } from "./scaling/observe_users.ts";

/** The pods with the volume of a claim that are not ready, but for movers. */
export async function unreadyPods(
  reader: Pick<Reader, "list">,
  claim: ClaimName,
  call: CallOptions = {},
): Promise<readonly string[]> {
  const isReady = ({ status }: Pod) =>
    status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
  return (await podsUsing(reader, claim, call))
    .filter((pod) => !isReady(pod) && pod.metadata.labels?.[OWNER_LABEL] === undefined)
    .map(({ metadata }) => `pod ${keyOf(metadata)}`);
}
