import type { Job, Pod } from "../../kube/builtin.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import type { Result } from "../../wire/report.ts";
import type { RunOutcome, RunRecord } from "./run_record.ts";
import type { RunRequest } from "./run_request.ts";
import type { RunState } from "./run_state.ts";

/** What follows for a task from what was seen of it. */
export interface TaskDecision {
  /** To be kept in the owner's status. Where it has an outcome, `state` has the result: both are written at once. */
  readonly record: RunRecord;
  readonly state: TaskState;
  readonly intents: readonly RunIntent[];
  /** The end of the log of an attempt that has just failed, though the task has not: its pod goes once this is kept. */
  readonly lastLog?: readonly string[];
  /** When to look again, in milliseconds since 1970, if nothing changes sooner. */
  readonly wakeAt?: number;
}

/** Where a task is, for status. */
export type TaskState =
  /** A gate is shut, or an earlier attempt's pod is still there. */
  | { readonly phase: "Held"; readonly reason: string; readonly message: string }
  /** An attempt failed; the next one begins then. */
  | { readonly phase: "BackingOff"; readonly failure: EngineFailure; readonly until: string }
  /** The current attempt. */
  | { readonly phase: "Working"; readonly run: string; readonly state: RunState }
  /** An attempt's report was lost, or it left something behind: the repository is asked, or put in order. */
  | { readonly phase: "Settling"; readonly run: string; readonly about: string; readonly state: RunState }
  | EndedTask;

export interface EndedTask {
  readonly phase: "Ended";
  readonly outcome: RunOutcome;
  /** Absent once the outcome had been recorded before: then it is the owner's status that has it. */
  readonly result?: Result;
  readonly logTail: readonly string[];
  /** The report was lost, and the repository was the witness. */
  readonly settled: boolean;
}

/** Something to be done in the cluster. Each may be done again, and in any order. */
export type RunIntent =
  /** Job, ConfigMap and lent Secret are there. With `resume` the Job is let go, if it is the one of this UID. */
  | { readonly type: "Ensure"; readonly request: RunRequest; readonly resume?: { readonly uid: string } }
  /** The movers' account is there, also where it was a moment ago, and has gone with its namespace since. */
  | { readonly type: "Account"; readonly namespace: string }
  /** The pod's prepared mover is told to start. */
  | { readonly type: "Start"; readonly pod: Pod }
  /** The mover is told to end. */
  | { readonly type: "Cancel"; readonly job: Job }
  /** What it had to say has been recorded: it goes. */
  | { readonly type: "Remove"; readonly job: Job }
  /** The pod's node is dead: nothing will ever confirm its end. */
  | { readonly type: "Reap"; readonly job: Job | undefined; readonly pod: Pod };
