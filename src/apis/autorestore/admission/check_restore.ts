import { presence, refuseAll } from "../../../core/reconcile/finding.ts";
import { RESTORE_INTO_STORE, storeViolation } from "../../../core/repository/store_violation.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import type { Check } from "./lookup.ts";

/** All else that could be wrong with one by itself, its schema refuses. */
export const checkRestore: Check<ResticRestore> = ({ object: { metadata, spec } }, { lookup }) => {
  const { namespace } = metadata;
  const { backupName, targetPVC, backupTarget, fallbackTargets = [] } = spec;
  const pvc = { namespace, name: targetPVC };
  const backup = { namespace, name: backupName ?? "" };
  const targets = [
    ...(backupTarget ? [{ field: "spec.backupTarget", target: backupTarget }] : []),
    ...fallbackTargets.map((target, index) => ({ field: `spec.fallbackTargets[${index}]`, target })),
  ];
  const told = { field: "spec.targetPVC", ...RESTORE_INTO_STORE };
  return [
    ...refuseAll([storeViolation(pvc, lookup.repositoryOn(pvc), told)]),
    ...presence(lookup.claim(pvc), { field: "spec.targetPVC", kind: "PersistentVolumeClaim", name: pvc }),
    ...(backupName === undefined
      ? []
      : presence(lookup.backup(backup), { field: "spec.backupName", kind: "ResticBackup", name: backup })),
    ...targets.flatMap(({ field, target }) => {
      const name = { namespace, ...target.repository };
      return presence(lookup.repository(name), { field, kind: "ResticRepository", name });
    }),
  ];
};
