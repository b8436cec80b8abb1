import type { Violation } from "../../../core/reconcile/violation.ts";
import { BACKUP_OF_STORE, storeViolation } from "../../../core/repository/store_violation.ts";
import { tagViolation } from "../../../core/rules/tag_violation.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";

/** What is wrong with a ResticBackup: the webhook refuses it, and the controller shows it. `stored`: the repository on its PVC. */
export function backupViolations(
  { metadata, spec }: ResticBackup,
  stored: string | undefined,
): readonly Violation[] {
  const { namespace = metadata.namespace } = spec.pvcRef;
  const name = spec.pvcRef.name;
  const store = storeViolation({ ...metadata, name }, stored, { field: "spec.pvcRef", ...BACKUP_OF_STORE });
  return [
    ...(store ? [store] : []),
    ...(namespace === metadata.namespace ? [] : [elsewhere(namespace ?? "", metadata.namespace ?? "")]),
    ...(spec.tags ?? []).flatMap((tag, index) => tagViolation(tag, `spec.tags[${index}]`, "restic")),
  ];
}

/** The run has to be where the PVC is. */
function elsewhere(pvc: string, own: string): Violation {
  return {
    reason: "NamespaceMismatch",
    field: "spec.pvcRef.namespace",
    what: `the PVC is in namespace ${pvc}, and this ResticBackup in ${own}`,
    why: "a pod can mount PVCs of its own namespace only",
    fix: `Create the ResticBackup in namespace ${pvc}`,
  };
}
