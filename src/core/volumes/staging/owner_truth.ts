import { isNotFound } from "../../../kube/api_error.ts";
import type { Reader } from "../../../kube/client.ts";
import type { Resource } from "../../../kube/resource.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import type { OwnerTruth } from "./leftovers.ts";
import type { MarkedOwner } from "./staged_marks.ts";

/** Whether the object of this kind that something is staged for is there: the server itself is asked. Of others nothing is known. */
export async function ownerTruth(
  reader: Pick<Reader, "get">,
  resource: Resource,
  { apiVersion, kind, namespace, name, uid }: MarkedOwner,
  signal: AbortSignal,
): Promise<OwnerTruth> {
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) return "unknown";
  try {
    const { metadata } = await reader.get(resource, { namespace, name }, { signal });
    // Another one of the same name is not the owner.
    return metadata.uid === uid ? "there" : "gone";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    throw error;
  }
}
