import { SAFETY_TAG } from "../../../core/catalog/passed_over.ts";
import { blocked, type Problem, waits } from "../../../core/reconcile/problem.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { type Draft, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { isWriting } from "../backup/being_restored.ts";

/** What there is of the backup that a Restore wants before anything is overwritten. */
export interface SafetyFacts {
  /** Those of its namespace. */
  readonly configs: readonly BackupConfig[];
  /** The one of that name, where it is there. */
  readonly backup: Backup | undefined;
  /** Whether there is anything to overwrite. */
  readonly isThere: boolean;
  /** Whether the volume could be brought back from any Backup. */
  hasBackup(): boolean;
}

export type SafetyStep =
  /** It is made, or none is wanted. */
  | { readonly type: "Done" }
  | { readonly type: "Create"; readonly backup: Draft<Backup> }
  | { readonly type: "Wait"; readonly problem: Problem };

/** The name that such a Backup has, whether or not one is made. It is of one Restore alone, also of another of its name later. */
export function safetyName({ metadata }: Restore): string {
  return `before-${fingerprint(metadata.uid)}`;
}

/** The name of the Backup that is made first; undefined where none is. */
export function safetyBackupOf(restore: Restore, backup: Backup | undefined): string | undefined {
  const { spec, status } = restore;
  if (spec.target?.pvcRef?.backupFirst || backup) return safetyName(restore);
  return status?.safetyBackup;
}

/** Whether a volume is backed up before it is written: as somebody says, or wherever its files may be overwritten. */
export function isWanted({ spec: { target, options } }: Restore): boolean {
  if (!target?.pvcRef) return false;
  const { existingFiles, enableFileDeletion } = options;
  const overwrites = existingFiles !== "Refuse" && (existingFiles !== "Keep" || enableFileDeletion);
  return target.pvcRef.backupFirst ?? overwrites;
}

/** The Restore that a Backup was made for, if it was for one. */
export function restoresOfSafety({ metadata: { namespace }, spec }: Backup): readonly ObjectKey[] {
  const name = spec.tags?.[SAFETY_TAG];
  return name === undefined ? [] : [keyOf({ namespace, name })];
}

/** What is next for the backup of a volume that a Restore is about to overwrite. */
export function safetyStep(restore: Restore, facts: SafetyFacts): SafetyStep {
  const { configs, backup } = facts;
  const { namespace } = restore.metadata;
  const { name: claim = "", backupFirst } = restore.spec.target?.pvcRef ?? {};
  if (!isWanted(restore)) return { type: "Done" };
  if (backup) return afterBackup(backup);
  const config = readyConfigOf(configs, keyOf({ namespace, name: claim }));
  if (!config && !backupFirst) return unprotected(restore, facts);
  if (!config)
    return waiting(
      blocked(
        "SafetyBackupImpossible",
        `No BackupConfig that is ready backs up PersistentVolumeClaim ${claim}, so that no backup can be made before it is overwritten. Create one, or create a Restore without target.pvcRef.backupFirst.`,
      ),
    );
  const spec = { configRef: { name: config.metadata.name }, tags: { [SAFETY_TAG]: restore.metadata.name } };
  return {
    type: "Create",
    backup: {
      metadata: { ...(namespace === undefined ? {} : { namespace }), name: safetyName(restore) },
      spec,
    },
  };
}

/** What is overwritten file by file was meant; what is deleted unseen from a volume that nothing backs up is gone for good. */
function unprotected({ spec }: Restore, { isThere, hasBackup }: SafetyFacts): SafetyStep {
  const { enableFileDeletion, confirmDeletion } = spec.options;
  if (!enableFileDeletion || confirmDeletion || !isThere || hasBackup()) return { type: "Done" };
  return waiting(
    blocked(
      "DeletionUnconfirmed",
      `Nothing was written: nothing backs up PersistentVolumeClaim ${spec.target?.pvcRef?.name}, and what is deleted from it cannot be brought back. Back it up first, or, if that is meant, set options.confirmDeletion: true.`,
    ),
  );
}

function afterBackup({ metadata: { name }, status }: Backup): SafetyStep {
  const lacks = status?.snapshots?.find(({ incomplete }) => incomplete)?.incomplete;
  if (status?.phase === "Succeeded" && lacks === undefined) return { type: "Done" };
  if (status?.phase === "Succeeded")
    return waiting(
      blocked(
        "SafetyBackupFailed",
        `Nothing was overwritten: Backup ${name}, made before it, does not hold the whole volume: ${lacks}. Let its mover read everything and delete that Backup, or create a Restore with target.pvcRef.backupFirst: false.`,
      ),
    );
  if (status?.phase === "Failed")
    return waiting(
      blocked(
        "SafetyBackupFailed",
        `Nothing was overwritten: Backup ${name}, which has to be made first, failed: ${status.failure?.message ?? "it gives no reason"}. Try it again with holdfast retry backup/${name}, or create a Restore with target.pvcRef.backupFirst: false.`,
      ),
    );
  return waiting(SAFETY_PENDING);
}

export const SAFETY_PENDING = waits(
  "SafetyBackupPending",
  "The volume is backed up before it is overwritten: status.safetyBackup names the Backup.",
);

function waiting(problem: Problem): SafetyStep {
  return { type: "Wait", problem };
}

/** The BackupConfig that can back up a claim now, which is named as namespace/name. */
export function readyConfigOf(configs: readonly BackupConfig[], claim: string): BackupConfig | undefined {
  return configs.find((one) => backsUp(one, claim));
}

function backsUp({ metadata, status }: BackupConfig, claim: string): boolean {
  const isReady = status?.phase === "Ready" && metadata.deletionTimestamp === undefined;
  return isReady && (status.resolved?.identity?.sources ?? []).some(({ pvc }) => pvc === claim);
}

/** Whether it is time for that: what is restored is decided, and nothing is written yet. */
export function isDue(restore: Restore): boolean {
  const { phase, resolved } = restore.status ?? {};
  const ended = phase === "Completed" || phase === "Failed";
  return !ended && !restore.metadata.deletionTimestamp && !!resolved?.pinnedAt && !isWriting(restore);
}
