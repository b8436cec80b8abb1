import type { ObservedBackup } from "./decide_backup.ts";
import type { Capture } from "./hooks_round.ts";

/** How far the capture of the current round is. */
export function captureOf({ run, copies, hooks, frozen }: ObservedBackup): Capture {
  if (!run?.ok) return "Over";
  const { record, state } = run.value.decision;
  const over = record.outcome !== undefined || state.phase === "Ended" || record.step !== "Work";
  if (over || record.attempt !== hooks?.memory?.attempt) return "Over";
  if (frozen.ok && frozen.value.copyMethod === "Direct") {
    // Whoever may not begin must not keep the workload waiting.
    return record.job === undefined && !hooks.open ? "Over" : "Open";
  }
  if (copies?.phase === "GivenUp") return "Over";
  if (copies?.phase === "Staging") {
    const reached = copies.decision.state;
    if (reached.phase === "Refused") return "Over";
    return reached.captured ? "Taken" : "Open";
  }
  // Some copies are made only when their mover starts, and then it reads them.
  return state.phase === "Working" && state.state.phase === "Running" ? "Taken" : "Open";
}
