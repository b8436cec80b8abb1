import type { Claim } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";

/** A PVC that was there for longer than this before its BackupConfig saw it belongs to somebody, in milliseconds. */
const NEW_FOR = 600_000;
const BY_HAND = "Annotate it with manual-restore to restore it.";

export type AutoRestoreDecision =
  /** Nothing is to be done, or it was done before. */
  | { readonly type: "None" }
  /** It is noted that nothing is to be done. */
  | { readonly type: "Skip"; readonly why: string }
  | { readonly type: "Restore" };

/** Whether a PVC that was just claimed is restored. It is decided once for each PVC, whatever is its name. */
export function decideAutoRestore({ spec }: BackupConfig, claim: Claim, now: number): AutoRestoreDecision {
  const { annotations = {}, uid, creationTimestamp } = claim.metadata;
  if (!spec.autoRestore || annotations[ANNOTATIONS.autoRestore] === uid) return { type: "None" };
  if (claim.spec?.dataSourceRef !== undefined)
    return { type: "Skip", why: `it is filled from the data source that it names. ${BY_HAND}` };
  if (claim.spec?.volumeMode === "Block")
    return { type: "Skip", why: "it is a block device, and files cannot be restored into one." };
  // Without a volume there is no data.
  if (claim.status?.phase === "Pending" || now - Date.parse(creationTimestamp) <= NEW_FOR)
    return { type: "Restore" };
  return { type: "Skip", why: `it is older than ten minutes, and may hold data of its own. ${BY_HAND}` };
}
