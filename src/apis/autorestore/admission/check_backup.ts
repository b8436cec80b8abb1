import { presence, refuseAll } from "../../../core/reconcile/finding.ts";
import { forgedDeletionMark } from "../../../core/rules/deletion_mark.ts";
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
  return [
    ...refuseAll([
      ...backupViolations(object, lookup.repositoryOn(pvc)),
      ...(isOperator ? [] : [forgedDeletionMark(object, old)]),
    ]),
    ...presence(lookup.claim(pvc), { field: "spec.pvcRef", kind: "PersistentVolumeClaim", name: pvc }),
    ...presence(lookup.repository(repository), {
      field: "spec.repositoryRef",
      kind: "ResticRepository",
      name: repository,
    }),
  ];
};
