import { DELETION_REASON_ANNOTATION } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { isNotFound } from "../../kube/api_error.ts";
import type { CallOptions, Client } from "../../kube/client.ts";

/** Why the operator deletes a Backup by itself. */
export type DeletionReason = "Retention" | "FailedHistoryLimit";

/**
 * Deletes a Backup as it was seen, and no other: whoever edits it in between keeps it, for now. It is marked first, so that
 * nobody takes this for a deletion from outside. What becomes of its snapshots, its own policy says.
 */
export async function deleteMarked(
  client: Pick<Client, "patch" | "delete">,
  { metadata }: Backup,
  reason: DeletionReason,
  call: CallOptions,
): Promise<void> {
  const { uid, resourceVersion } = metadata;
  const annotations = { [DELETION_REASON_ANNOTATION]: reason };
  const patch = { metadata: { uid, resourceVersion, annotations } };
  try {
    const marked = await client.patch(backupResource, metadata, { type: "merge", patch }, call);
    const { resourceVersion: seen } = marked.metadata;
    await client.delete(backupResource, metadata, { uid, resourceVersion: seen, ...call });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
