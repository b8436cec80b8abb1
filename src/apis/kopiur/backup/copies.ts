import type { CleanUp } from "../../../core/volumes/staging/clean_up.ts";
import type { StagedVolume, StagingDecision } from "../../../core/volumes/staging/staging_decision.ts";
import type { RunGate } from "../../../core/work/run_policy.ts";
import type { StagingMemory } from "./staging_memory.ts";

/** How it stands with what the mover of a Backup is to read. */
export type Copies =
  /** A try is under way, or has come to its end. */
  | { readonly phase: "Staging"; readonly memory: StagingMemory; readonly decision: StagingDecision }
  /** A try was given up. What it made is removed before the next one. */
  | { readonly phase: "GivenUp"; readonly memory: StagingMemory; readonly cleaning: CleanUp }
  /** The run is over: nobody reads them any more. */
  | { readonly phase: "Over"; readonly cleaning: CleanUp };

/** No mover starts before there is something to read. */
export function gateOfCopies(copies: Copies | undefined): RunGate {
  if (copies?.phase === "Staging" && copies.decision.state.phase !== "Ready") {
    const { reason, message } = copies.decision.state;
    return { open: false, reason, message };
  }
  if (copies?.phase === "GivenUp") {
    const { reason = "CopyPending", message = "" } = copies.memory.refusal ?? {};
    return { open: false, reason, message };
  }
  return { open: true };
}

/** What the mover mounts, once it is known. */
export function readyVolumes(copies: Copies | undefined): readonly StagedVolume[] {
  const ready = copies?.phase === "Staging" && copies.decision.state.phase === "Ready";
  return ready ? copies.decision.state.volumes : [];
}
