import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import { START_DEADLINE } from "../work/late_to_start.ts";
import type { RunPolicy } from "../work/run_policy.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { Problem } from "./problem.ts";
import { type ReadyState, readyStateOf, wakeFor } from "./ready_state.ts";
import type { FailureStatus } from "./status_parts.ts";
import { cut } from "./task_words.ts";

interface BlockedRequest {
  /** As it is for the present spec. */
  readonly record: RunRecord;
  readonly policy: RunPolicy;
  /** Why there can be no run. */
  readonly problem: Problem;
  /** How a person has it tried again, as a sentence. */
  readonly again: string;
  readonly now: number;
}

export interface BlockedRun {
  readonly record: RunRecord;
  readonly readyState: ReadyState;
  readonly wakeAt?: number | undefined;
  /** Once it has failed. */
  readonly failure?: FailureStatus;
}

/**
 * A run that cannot be made is waited for as long as a mover may take to start, and not beyond the time that all its
 * attempts have. Then it has failed.
 */
export function blockedRun({ record: known, policy, problem, again, now }: BlockedRequest): BlockedRun {
  const { place: _, blockedSince = new Date(now).toISOString(), ...kept } = known;
  const { activeSince = kept.startedAt ?? blockedSince } = kept;
  const record = { ...kept, blockedSince, activeSince };
  const ends = [
    endOf(blockedSince, policy.startDeadlineSeconds ?? START_DEADLINE),
    endOf(activeSince, policy.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY),
  ];
  const { at: deadline, seconds } = ends.reduce((a, b) => (b.at < a.at ? b : a));
  if (now < deadline) {
    return { record, readyState: readyStateOf(problem), wakeAt: soonest(wakeFor(problem, now), deadline) };
  }
  const { reason } = problem;
  const message = `${problem.message} The run could not start within ${seconds} s. ${again}`;
  return {
    record: { ...record, outcome: "Failed" },
    readyState: { state: "stalled", reason, message },
    failure: {
      errorClass: reason,
      message: cut(message, 1024),
      retry: "terminal",
      attempt: record.attempt,
      at: timestamp(now),
    },
  };
}

function endOf(since: string, seconds: number) {
  return { at: Date.parse(since) + seconds * 1000, seconds };
}
