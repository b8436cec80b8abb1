import type { Change } from "../../../core/admission/check.ts";
import { operatorOnly } from "../../../core/admission/operator_only.ts";
import {
  DELETION_REASON_ANNOTATION,
  REQUEST_ANNOTATIONS,
  SCHEDULE_ANNOTATIONS,
} from "../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { DeletionPolicy } from "../../../kinds/kopiur/parts.ts";
import { labelValue } from "../../../lib/names.ts";
import { originOf } from "../backup/backup_labels.ts";
import type { Around } from "./lookup.ts";
import { configAt } from "./references.ts";

/** A Backup with what follows from its BackupConfig and its origin made visible. */
export function completeBackup(change: Change<Backup>, around: Around): Backup {
  const { object, old } = change;
  const { annotations: given } = object.metadata;
  const annotations = around.isOperator
    ? given
    : operatorOnly(given, old?.metadata.annotations, OPERATOR_ONLY);
  const metadata = {
    ...object.metadata,
    labels: labelsOf(change, around),
    ...(annotations ? { annotations } : {}),
  };
  const policy = object.spec.deletionPolicy ?? inheritedPolicy(change, around);
  const finalizers = old
    ? metadata.finalizers
    : [...new Set([...(metadata.finalizers ?? []), SNAPSHOT_CLEANUP])];
  return {
    ...object,
    metadata: { ...metadata, ...(finalizers ? { finalizers } : {}) },
    spec: { ...object.spec, ...(policy ? { deletionPolicy: policy } : {}) },
  };
}

/** What runs already goes by the policy that it began with. */
function inheritedPolicy({ object, old }: Change<Backup>, { lookup }: Around): DeletionPolicy | undefined {
  if (!object.spec.configRef) return "Retain";
  const config = configAt(object.spec.configRef, object.metadata.namespace, lookup);
  return old?.status?.resolved?.deletionPolicy ?? config?.spec.defaultDeletionPolicy;
}

/** Only the operator says that a schedule made a Backup: what a schedule made, retention may delete. */
function labelsOf({ object, old }: Change<Backup>, { isOperator }: Around): Readonly<Record<string, string>> {
  const { labels: given } = object.metadata;
  const said = isOperator ? given : operatorOnly(given, old?.metadata.labels, [LABELS.backupSchedule]);
  const { [LABELS.backupConfig]: _, ...labels } = said ?? {};
  const config = object.spec.configRef?.name;
  return {
    ...labels,
    ...(config === undefined ? {} : { [LABELS.backupConfig]: labelValue(config) }),
    [LABELS.origin]: originOf({ ...object, metadata: { ...object.metadata, labels } }),
  };
}

/** Nor does anybody else say when a schedule meant it, whom it was made for, or that a deletion is the operator's own. */
const OPERATOR_ONLY: readonly string[] = [
  DELETION_REASON_ANNOTATION,
  ...Object.values(REQUEST_ANNOTATIONS),
  ...Object.values(SCHEDULE_ANNOTATIONS),
];
