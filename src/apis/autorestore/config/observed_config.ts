import type { PrunePause } from "../../../core/policy/prune_guard.ts";
import type { SlotDecision } from "../../../core/schedule/decide_slot.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import type { Draft, KubeObject, ObjectKey } from "../../../kube/object.ts";
import type { ClaimsDecision, Target } from "./claiming.ts";

/** What there is of a BackupConfig. */
export interface ObservedConfig {
  readonly config: BackupConfig;
  readonly claims: ClaimsDecision<KubeObject>;
  /** What was made for it. */
  readonly backups: readonly ResticBackup[];
  readonly restores: readonly ResticRestore[];
  repository(name: string): ResticRepository | undefined;
  /** Every restore into a PVC, whoever made it. */
  restoresInto(claim: ObjectKey): readonly ResticRestore[];
  /** The ResticBackup of this key. */
  backup(key: ObjectKey): ResticBackup | undefined;
  /** Whether a restore that has not ended needs it, or writes into its PVC. */
  isWanted(backup: ResticBackup): boolean;
  /** Whether what an annotation asks for was made before. */
  isDone(mark: string): boolean;
  readonly now: number;
}

/** What was decided for one target. */
export interface TargetDecision {
  readonly target: Target;
  readonly slot: SlotDecision;
  readonly retention: SlotDecision;
  readonly backups: readonly Draft<ResticBackup>[];
  readonly surplus: readonly ResticBackup[];
  /** Why retention deletes nothing of some PVCs. */
  readonly pauses: readonly PrunePause[];
  /** When its retention was last applied, in milliseconds since 1970. */
  readonly retainedAt: number | undefined;
}
