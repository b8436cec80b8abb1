import type { SourceState, Tier } from "../../../kinds/plumber/words.ts";
import type { ParsedPvc } from "./parse_pvc.ts";

/** What says whether backups of a PVC may run. */
export interface SourceQuestion {
  readonly pvc: Pick<ParsedPvc, "enabled" | "tier" | "problems" | "minBackupAge">;
  readonly bound: boolean;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  /** The PVC names a Restore as the source of its data. */
  readonly restoring: "none" | "running" | "completed";
  readonly now: number;
}

export interface SourceDecision {
  readonly state: SourceState;
  readonly message: string;
  /** When the state may change by itself. */
  readonly wakeAt?: number;
}

/** Whether backups of the PVC may run by its schedule. */
export function sourceState(question: SourceQuestion): SourceDecision {
  const { pvc, bound, createdAt, restoring, now } = question;
  if (pvc.enabled === false || pvc.tier === "disabled") {
    return { state: "disabled", message: "Backups are disabled; earlier ones can be restored." };
  }
  const [problem] = pvc.problems;
  if (problem) {
    return { state: "error", message: `${problem.message}. The schedule stays as it was until then.` };
  }
  if (restoring === "running") {
    return { state: "waiting_for_restore", message: "Backups begin once the restore has completed." };
  }
  if (!bound) return { state: "waiting_for_pvc_bound", message: "Backups begin once the PVC is bound." };
  const ready = createdAt + pvc.minBackupAge;
  if (restoring === "none" && now < ready) {
    const message = `Backups begin when the PVC is ${Math.round(pvc.minBackupAge / 60_000)} minutes old, so that a volume that is still empty is not backed up.`;
    return { state: "waiting_for_min_age", message, wakeAt: ready };
  }
  return { state: "ready", message: readyText(pvc.tier) };
}

function readyText(tier: Tier | undefined): string {
  return tier === "manual" ? "Backups run on request." : `Backups run ${tier ?? "on request"}.`;
}

/** A request for a backup now passes the minimum age, and no other gate. */
export function maySnapshotNow({ state }: Pick<SourceDecision, "state">): boolean {
  return state === "ready" || state === "waiting_for_min_age";
}
