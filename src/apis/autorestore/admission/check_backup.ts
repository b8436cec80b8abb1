import { annotationName, annotationOf, DELETION_REASON } from "../../../core/reconcile/annotations.ts";
import { presence, refuseAll } from "../../../core/reconcile/finding.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import { backupViolations } from "../backup/backup_violations.ts";
import type { Check } from "./lookup.ts";

export const checkBackup: Check<ResticBackup> = (change, around) => {
  const { object, old } = change;
  const { lookup, isOperator } = around;
  const { metadata, spec } = object;
  const { namespace } = metadata;
  const pvc = { namespace, name: spec.pvcRef.name };
  const repository = { namespace, ...spec.repositoryRef };
  const marked = annotationOf(object, DELETION_REASON);
  const forged = marked !== undefined && marked !== (old && annotationOf(old, DELETION_REASON));
  return [
    ...refuseAll([
      ...backupViolations(object),
      ...(forged && !isOperator ? [operatorsMark(annotationName(object, DELETION_REASON))] : []),
    ]),
    ...presence(lookup.claim(pvc), { field: "spec.pvcRef", kind: "PersistentVolumeClaim", name: pvc }),
    ...presence(lookup.repository(repository), {
      field: "spec.repositoryRef",
      kind: "ResticRepository",
      name: repository,
    }),
  ];
};

/** With it, a deletion would go past the guard. */
function operatorsMark(name: string): Violation {
  return {
    reason: "OperatorAnnotation",
    field: "metadata.annotations",
    forbidden: true,
    what: `the annotation ${name} cannot be set`,
    why: "the operator marks with it what its retention deletes",
    fix: "Leave it out",
  };
}
