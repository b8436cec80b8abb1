import { timestamp } from "../../../kube/write/timestamp.ts";
import { unreachable } from "../../../lib/result.ts";
import type { Intent } from "../../reconcile/decision.ts";
import type { Problem } from "../../reconcile/problem.ts";
import { type ReadyState, readyStateOf, wakeFor } from "../../reconcile/ready_state.ts";
import { recordOf } from "../../reconcile/records.ts";
import { specFingerprint } from "../../reconcile/spec_fingerprint.ts";
import { carryOut, type TaskPlan } from "../../reconcile/task_plan.ts";
import { cut } from "../../reconcile/task_words.ts";
import type { Claim } from "../../volumes/claim_request.ts";
import type { RunRecord } from "../../work/run_record.ts";
import { answered, DECIDED, EMPTY } from "../answer.ts";
import type { Ask } from "../resolution.ts";
import type { ClaimStatus, Pinned, RestoreState, RestoreView, Waiting } from "../restore.ts";
import { awaited, stillWaiting } from "../restore_decision.ts";
import { hasBegun, hasJob } from "../restore_stage.ts";
import { readyStateOfRestore, restoreFields } from "../restore_status.ts";
import { type NoRun, type RestoreTaskPlan, repositoryAway } from "../restore_tasks.ts";
import type { ObservedFilling } from "./observe_populations.ts";
import { askPurposeFor, type ClaimMemory, fillPurpose, type PopulationWork } from "./population_memory.ts";

interface At extends RestoreView {
  readonly prime: Claim;
  readonly memory: ClaimMemory;
}

/** How far a prime claim is, and what is next. */
export interface Filled {
  readonly phase: ClaimStatus["phase"];
  readonly readyState: ReadyState;
  /** What is to be remembered, before anything is done. Default: as before. */
  readonly memory?: ClaimMemory;
  /** Of the runs, by purpose. Default: as before. */
  readonly records?: PopulationWork;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
  /** Since when the source is missed, which all claims of a restore have in common. */
  readonly waiting?: Waiting;
  /** What the restore's status says of it. */
  readonly fields?: Partial<RestoreState>;
}

/** Finds out what goes into a prime claim, notes that, and has it written. */
export function fill(at: At, filling: ObservedFilling): Filled {
  const { restore, prime, memory } = at;
  const { resolution, asking, run } = filling;
  if (!resolution.ok) {
    // Of several volumes none is this claim's: it keeps no other claim waiting.
    if (resolution.error.class === "terminal") return failed(at, readyStateOf(resolution.error));
    return filling.isUnderWay ? held(at, resolution.error) : missing(at, resolution.error);
  }
  if (resolution.value.type === "Ask") {
    if (!asking) return LOOKING;
    if (asking.ok) return ask(at, resolution.value, asking.value);
    const purpose = askPurposeFor(restore, prime, resolution.value);
    return withoutRun(at, asking.error, hasJob(recordOf(restore.status, purpose)));
  }
  const { pinned } = resolution.value;
  if (!memory.resolved) return pinnedTo(at, pinned);
  if (pinned.noSnapshot) return full(at, EMPTY);
  if (!run) return LOOKING;
  if (run.ok) return write(at, run.value);
  return withoutRun(at, run.error, hasBegun(recordOf(restore.status, fillPurpose(prime))));
}

function ask(at: At, asked: Ask, asking: RestoreTaskPlan): Filled {
  const away = repositoryAway(asking, hasJob(asking.decision.record));
  if (away) return { ...recorded(asking), ...missing(at, away) };
  const answer = answered(at, asked, asking);
  switch (answer.type) {
    case "Asking":
      return {
        phase: "Resolving",
        readyState: answer.readyState,
        ...recorded(asking),
        ...stillWaiting(at.restore, asking),
      };
    case "Failed":
      return failed(at, answer.readyState);
    case "Over":
      return LOOKING;
    case "Pinned":
      return { ...pinnedTo(at, answer.pinned), readyState: answer.readyState };
    default:
      return unreachable(answer);
  }
}

function write(at: At, run: RestoreTaskPlan): Filled {
  const { restore, memory, now } = at;
  const { state, record } = run.decision;
  const away = repositoryAway(run, hasBegun(record));
  if (away) return { ...recorded(run), ...missing(at, away) };
  const { phase = "Restoring", ...fields } = restoreFields({ restore, now }, run);
  const shown = { ...fields, resolved: memory.resolved ?? {} };
  const readyState = readyStateOfRestore(state, "writing the data", at.api.words);
  if (state.phase !== "Ended") return { phase, readyState, fields: shown, ...recorded(run) };
  const end = phase === "Failed" ? failed(at, readyState) : full(at, readyState);
  return { ...end, fields: shown };
}

function recorded(taskPlan: TaskPlan): Pick<Filled, "records" | "intents" | "wakeAt"> {
  return { records: { [taskPlan.task.purpose]: slim(taskPlan.decision.record) }, ...carryOut(taskPlan) };
}

/** Records of several runs share one status: the engine's own words are there once, and in the mover's log. */
function slim({ lastFailure, ...record }: RunRecord): RunRecord {
  if (!lastFailure) return record;
  const { class: kind, message, remedy } = lastFailure;
  return { ...record, lastFailure: { class: kind, message: cut(message, 200), remedy: cut(remedy, 200) } };
}

/** What goes into it is decided, and does not change any more. */
function pinnedTo({ now }: At, resolved: Pinned): Filled {
  const fields = { resolved };
  const memory = { resolved };
  return { phase: "Resolving", readyState: DECIDED, memory, records: {}, intents: [], wakeAt: now, fields };
}

/** The next look finds it full, and hands it over. */
function full({ memory, now }: At, readyState: ReadyState): Filled {
  return {
    phase: "Restoring",
    readyState: { ...readyState, state: "reconciling" },
    memory: { ...memory, filled: true, filledAt: timestamp(now) },
    records: {},
    intents: [],
    wakeAt: now,
  };
}

function failed({ restore }: At, readyState: ReadyState): Filled {
  const memory = { failed: { edition: specFingerprint(restore), reason: readyState.reason } };
  return { phase: "Failed", readyState, memory, records: {}, intents: [] };
}

/** The source, or the repository that it is in, is not there. The claim waits for good, but says when that is too long. */
function missing(at: At, problem: Problem): Filled {
  if (problem.class !== "transient") return held(at, problem);
  const { restore, now } = at;
  const { problem: told, waiting } = awaited(restore, problem, now, at.api.words);
  return { ...held(at, told), waiting, wakeAt: wakeFor(problem, now) };
}

/** There can be no run now. */
function withoutRun(at: At, problem: NoRun, begun: boolean): Filled {
  return problem.away && !begun ? missing(at, problem) : held(at, problem);
}

function held(at: At, problem: Problem): Filled {
  const phase = problem.class === "terminal" ? "Failed" : "Pending";
  return { phase, readyState: readyStateOf(problem), intents: [], wakeAt: wakeFor(problem, at.now) };
}

const LOOKING: Filled = {
  phase: "Resolving",
  readyState: { state: "reconciling", reason: "Resolving", message: "The source is looked at." },
  intents: [],
};
