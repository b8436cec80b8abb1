import type { OwnerTruth } from "../../../core/volumes/staging/leftovers.ts";
import type { MarkedOwner } from "../../../core/volumes/staging/staged_marks.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { isNotFound } from "../../../kube/api_error.ts";
import type { Reader } from "../../../kube/client.ts";
import { apiVersionOf } from "../../../kube/resource.ts";

/** Whether the Backup that something is staged for is there: the server itself is asked. Of others nothing is known. */
export async function backupTruth(
  reader: Pick<Reader, "get">,
  { apiVersion, kind, namespace, name, uid }: MarkedOwner,
  signal: AbortSignal,
): Promise<OwnerTruth> {
  if (apiVersion !== apiVersionOf(backupResource) || kind !== backupResource.kind) return "unknown";
  try {
    const { metadata } = await reader.get(backupResource, { namespace, name }, { signal });
    // Another one of the same name is not the owner.
    return metadata.uid === uid ? "there" : "gone";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    throw error;
  }
}
