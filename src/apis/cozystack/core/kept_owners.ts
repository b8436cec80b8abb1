import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import { GROUP } from "../../../kinds/cozystack/group.ts";
import type { OwnerReference } from "../../../kube/object.ts";

/**
 * The owners of a Backup, without the objects of this API: drivers may have it owned by its BackupJob, which history
 * limits and a deleted Plan delete. What stands for stored data never goes by cascade. Nothing where all may stay.
 */
export function keptOwners({ metadata }: Backup): readonly OwnerReference[] | undefined {
  const { deletionTimestamp, ownerReferences = [] } = metadata;
  if (deletionTimestamp) return undefined;
  const kept = ownerReferences.filter(({ apiVersion }) => apiVersion.split("/")[0] !== GROUP);
  return kept.length < ownerReferences.length ? kept : undefined;
}
