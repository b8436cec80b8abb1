import { ANNOTATIONS, type SourceState, type Tier } from "../../../kinds/plumber/words.ts";
import type { ParsedPvc } from "./parse_pvc.ts";

/** What says whether backups of a PVC may run. */
export interface SourceQuestion {
  readonly pvc: Pick<ParsedPvc, "enabled" | "tier" | "problems" | "minBackupAge">;
  readonly bound: boolean;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  /** The PVC names a Restore as the source of its data. */
  readonly restoring: "none" | "running" | "completed";
  /** The newest backup of its identity, where that is older than the PVC, which was created without it unasked. */
  readonly missed: string | undefined;
  /** The ReplicationSource that makes its backups, beside native objects. */
  readonly beside: string | undefined;
  /** In strict, the key of another PVC to which the backup identity belongs. */
  readonly duplicate: string | undefined;
  readonly now: number;
}

export interface SourceDecision {
  readonly state: SourceState;
  readonly message: string;
  /** When the state may change by itself. */
  readonly wakeAt?: number;
}

/** Of another PVC no change is seen. */
const LOOK_AGAIN = 60_000;

/** Whether backups of the PVC may run by its schedule. */
export function sourceState(question: SourceQuestion): SourceDecision {
  const { pvc, bound, createdAt, restoring, missed, beside, duplicate, now } = question;
  if (pvc.enabled === false || pvc.tier === "disabled") {
    return { state: "disabled", message: "Backups are disabled; earlier ones can be restored." };
  }
  const [problem] = pvc.problems;
  if (problem) {
    return { state: "error", message: `${problem.message}. The schedule stays as it was until then.` };
  }
  if (duplicate !== undefined) {
    const message = `PVC ${duplicate} has the same backup identity. The schedule stays as it was until one of them has another ${ANNOTATIONS.backupIdentity}.`;
    return { state: "error", message, wakeAt: now + LOOK_AGAIN };
  }
  if (beside !== undefined) {
    const message = `ReplicationSource ${beside} backs the PVC up under the same identity. Two programs would write one history, so the schedule waits. Delete the ReplicationSource, or pause it, once the operator is to make the backups.`;
    return { state: "waiting_for_handover", message };
  }
  if (restoring === "running") {
    return { state: "waiting_for_restore", message: "Backups begin once the restore has completed." };
  }
  if (!bound) return { state: "waiting_for_pvc_bound", message: "Backups begin once the PVC is bound." };
  if (missed !== undefined) return { state: "missed_restore", message: missedText(missed) };
  const ready = createdAt + pvc.minBackupAge;
  if (restoring === "none" && now < ready) {
    const message = `Backups begin when the PVC is ${Math.round(pvc.minBackupAge / 60_000)} minutes old, so that a volume that is still empty is not backed up.`;
    return { state: "waiting_for_min_age", message, wakeAt: ready };
  }
  return { state: "ready", message: readyText(pvc.tier) };
}

function missedText(newestAt: string): string {
  return `There is a backup of ${newestAt}, from before the PVC, which was created without it and may be empty. Its schedule waits, so that no empty volume becomes the newest backup. To have the data restored, delete the PVC and create it again. If the volume is right as it is, ask for a backup with ${ANNOTATIONS.trigger}, or set ${ANNOTATIONS.skipRestore} to "true" with a reason.`;
}

function readyText(tier: Tier | undefined): string {
  return tier === "manual" ? "Backups run on request." : `Backups run ${tier ?? "on request"}.`;
}

/** A request for a backup now passes the minimum age, says that a volume without its restore is right, and passes no other gate. */
export function maySnapshotNow({ state }: Pick<SourceDecision, "state">): boolean {
  return state === "ready" || waitsForRequest(state);
}

/** What a person may know better. */
export function waitsForRequest(state: SourceState | undefined): boolean {
  return state === "waiting_for_min_age" || state === "missed_restore";
}
