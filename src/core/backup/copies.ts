import { soonest } from "../../lib/soonest.ts";
import type { Intent } from "../reconcile/decision.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import type { FailureStatus } from "../reconcile/status_parts.ts";
import { cut } from "../reconcile/task_words.ts";
import type { CleanUp } from "../volumes/staging/clean_up.ts";
import type { StagedVolume, StagingDecision } from "../volumes/staging/staging_decision.ts";
import type { RunGate } from "../work/run_policy.ts";
import type { TaskState } from "../work/task_decision.ts";
import { gaveUp, type StagingMemory } from "./staging_memory.ts";
import { LOOK_AGAIN, stage } from "./with_clearing.ts";

/** How it stands with what the mover of a backup is to read. */
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

export interface CopiesQuestion {
  readonly copies: Exclude<Copies, { readonly phase: "Over" }>;
  /** Of the run that waits for them. */
  readonly state: TaskState;
  /** Tries after the first, where it may heal by itself. */
  readonly backoffLimit: number;
  /** Tells different backups apart. */
  readonly name: string;
  readonly now: number;
}

/** What follows for what a mover is to read, while its run has not ended. */
export interface CopiesDecision {
  /** Undefined where there is nothing to remember. */
  readonly memory?: StagingMemory;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
  /** How the backup stands because of it, where a try was given up. */
  readonly readyState?: ReadyState;
  readonly failure?: FailureStatus;
}

export function decideCopies(question: CopiesQuestion): CopiesDecision {
  const { copies, state, backoffLimit, name, now } = question;
  const { memory } = copies;
  if (copies.phase === "GivenUp") {
    const { intents, done } = copies.cleaning;
    return { ...givenUp(memory, done ? undefined : now + LOOK_AGAIN), intents: stage(intents) };
  }
  const { state: reached, intents, wakeAt } = copies.decision;
  // A Job that is there already has what it needs, or will say what it lacks.
  if (reached.phase === "Refused" && state.phase !== "Held") return { memory, intents: [] };
  if (reached.phase === "Refused") {
    const after = gaveUp(memory, { refusal: reached, name, backoffLimit, now });
    return { ...givenUp(after, now + LOOK_AGAIN), intents: stage(intents) };
  }
  const asItIs = reached.phase === "Ready" && reached.volumes.every((one) => one.claim === one.source.name);
  return { ...(asItIs ? {} : { memory }), intents: stage(intents), wakeAt };
}

function givenUp(memory: StagingMemory, again: number | undefined): Omit<CopiesDecision, "intents"> {
  const { refusal, notBefore, failures } = memory;
  if (!refusal) return { memory, wakeAt: again };
  const { class: retry, reason, message } = refusal;
  const failure = { errorClass: reason, message: cut(message, 1024), retry, attempt: failures };
  const readyState: ReadyState =
    notBefore === undefined
      ? { state: "stalled", reason, message }
      : {
          state: "reconciling",
          reason,
          message: `${message} The next try begins at ${notBefore}.`,
          warning: true,
        };
  const next = notBefore === undefined ? undefined : Date.parse(notBefore);
  return { memory, wakeAt: soonest(next, again), readyState, failure };
}
