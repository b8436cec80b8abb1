import type { TaskState } from "../../../core/work/task_decision.ts";
import type { FailureStatus } from "../../../kinds/kopiur/parts.ts";
import type { Intent } from "../decision.ts";
import { cut } from "../run_words.ts";
import { soonest } from "../soonest.ts";
import type { Stand } from "../verdicts.ts";
import type { Copies } from "./copies.ts";
import { gaveUp, type StagingMemory } from "./staging_memory.ts";
import { LOOK_AGAIN, stage } from "./with_clearing.ts";

export interface CopiesQuestion {
  readonly copies: Exclude<Copies, { readonly phase: "Over" }>;
  /** Of the run that waits for them. */
  readonly state: TaskState;
  /** Tries after the first, where it may heal by itself. */
  readonly backoffLimit: number;
  /** Tells different Backups apart. */
  readonly name: string;
  readonly now: number;
}

/** What follows for what a mover is to read, while its run has not ended. */
export interface CopiesDecision {
  /** Undefined where there is nothing to remember. */
  readonly memory?: StagingMemory;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
  /** How the Backup stands because of it, where a try was given up. */
  readonly stand?: Stand;
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
  const stand: Stand =
    notBefore === undefined
      ? { state: "stalled", reason, message }
      : {
          state: "reconciling",
          reason,
          message: `${message} The next try begins at ${notBefore}.`,
          warning: true,
        };
  const next = notBefore === undefined ? undefined : Date.parse(notBefore);
  return { memory, wakeAt: soonest(next, again), stand, failure };
}
