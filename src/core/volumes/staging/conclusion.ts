import type { FailureClass } from "../../../kube/failure.ts";
import {
  refused,
  type StagingDecision,
  type StagingIntent,
  type StagingState,
  type WaitingStaging,
} from "./staging_decision.ts";
import type { StagingStep } from "./staging_step.ts";

/** Whoever watches what is staged is called sooner; not everything that is waited for can be watched. */
const LOOK_AGAIN = 5_000;

export interface Conclusion {
  readonly deadline: number;
  readonly now: number;
  /** What is due whatever comes of the step. */
  readonly always: readonly StagingIntent[];
  /** What removes everything that was made. */
  readonly cleanUp: readonly StagingIntent[];
}

/** Gives up what takes too long, and leaves nothing of what cannot be. */
export function concluded(
  { state: reached, intents }: StagingStep,
  { deadline, now, always, cleanUp }: Conclusion,
): StagingDecision {
  const state = reached.phase === "Waiting" && now >= deadline ? tooLate(reached) : reached;
  if (state.phase === "Refused") return { state, intents: cleanUp };
  return {
    state,
    intents: [...always, ...intents],
    ...(state.phase === "Waiting" ? { wakeAt: Math.min(deadline, now + LOOK_AGAIN) } : {}),
  };
}

interface Late {
  readonly reason: string;
  readonly class: FailureClass;
}

/** What waiting for too long is called. What is not here keeps its reason, and is for somebody to put right. */
const LATE: Readonly<Record<string, Late>> = {
  SnapshotPending: { reason: "SnapshotTimedOut", class: "transient" },
  SnapshotFailing: { reason: "SnapshotFailed", class: "transient" },
  SnapshotGoing: { reason: "SnapshotTimedOut", class: "transient" },
  GroupSnapshotPending: { reason: "GroupSnapshotTimedOut", class: "transient" },
  GroupSnapshotFailing: { reason: "GroupSnapshotFailed", class: "transient" },
  GroupSnapshotGoing: { reason: "GroupSnapshotTimedOut", class: "transient" },
  SourceBusy: { reason: "SourceBusy", class: "transient" },
  CopyPending: { reason: "CopyTimedOut", class: "transient" },
  CopyFailing: { reason: "CopyFailed", class: "transient" },
  CopyGoing: { reason: "CopyTimedOut", class: "transient" },
};

function tooLate({ reason, message }: WaitingStaging): StagingState {
  const late = LATE[reason] ?? { reason, class: "structural" };
  return refused(
    late.class,
    late.reason,
    `It took longer than allowed, and was given up. The last state: ${message}`,
  );
}
