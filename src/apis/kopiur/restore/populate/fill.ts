import type { Claim } from "../../../../core/volumes/claim_request.ts";
import type { RunRecord } from "../../../../core/work/run_record.ts";
import type { Restore, RestoreStatus } from "../../../../kinds/kopiur/generated/restore.ts";
import type { ClaimStatus } from "../../../../kinds/kopiur/parts.ts";
import { timestamp } from "../../../../kube/write/timestamp.ts";
import { unreachable } from "../../../../lib/result.ts";
import type { Intent } from "../../decision.ts";
import { edition } from "../../editions.ts";
import { carryOut, type Outlook } from "../../outlook.ts";
import type { Problem } from "../../problem.ts";
import { recordOf } from "../../records.ts";
import { cut } from "../../run_words.ts";
import { type Stand, standOf, wakeFor } from "../../verdicts.ts";
import { answered, DECIDED, EMPTY } from "../answer.ts";
import { awaited, goesOn, stillWaiting, type Waiting } from "../awaited.ts";
import type { Pinned, Resolution } from "../resolution.ts";
import { type NoRun, type RestoreOutlook, repositoryAway } from "../restore_outlook.ts";
import { restoreFields, standOfRestore } from "../restore_progress.ts";
import { hasBegun, hasJob } from "../restore_stage.ts";
import type { ObservedFilling } from "./observed_populations.ts";
import { askPurposeFor, type ClaimMemory, fillPurpose, type PopulationWork } from "./population_memory.ts";

interface At {
  readonly restore: Restore;
  readonly prime: Claim;
  readonly memory: ClaimMemory;
  readonly now: number;
}

/** How far a prime claim is, and what is next. */
export interface Filled {
  readonly phase: ClaimStatus["phase"];
  readonly stand: Stand;
  /** What is to be remembered, before anything is done. Default: as before. */
  readonly memory?: ClaimMemory;
  /** Of the runs, by purpose. Default: as before. */
  readonly records?: PopulationWork;
  readonly intents: readonly Intent[];
  readonly wakeAt?: number | undefined;
  /** Since when the source is missed, which all claims of a Restore have in common. */
  readonly waiting?: Waiting;
  /** What the Restore's status says of it. */
  readonly fields?: Partial<RestoreStatus>;
}

/** Finds out what goes into a prime claim, notes that, and has it written. */
export function fill(at: At, filling: ObservedFilling): Filled {
  const { restore, prime, memory } = at;
  const { resolution, asking, run } = filling;
  if (!resolution.ok) {
    // Of several volumes none is this claim's: it keeps no other claim waiting.
    if (resolution.error.class === "terminal") return failed(at, standOf(resolution.error));
    return goesOn(filling.sources) ? held(at, resolution.error) : missing(at, resolution.error);
  }
  if (resolution.value.type === "Ask") {
    if (!asking) return LOOKING;
    if (asking.ok) return ask(at, filling, resolution.value, asking.value);
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

type Ask = Extract<Resolution, { readonly type: "Ask" }>;

function ask(at: At, { sources }: ObservedFilling, asked: Ask, asking: RestoreOutlook): Filled {
  const away = repositoryAway(asking, hasJob(asking.decision.record));
  if (away) return { ...recorded(asking), ...missing(at, away) };
  const answer = answered(sources, asked, asking);
  switch (answer.type) {
    case "Asking":
      return {
        phase: "Resolving",
        stand: answer.stand,
        ...recorded(asking),
        ...stillWaiting(at.restore, asking),
      };
    case "Failed":
      return failed(at, answer.stand);
    case "Over":
      return LOOKING;
    case "Pinned":
      return { ...pinnedTo(at, answer.pinned), stand: answer.stand };
    default:
      return unreachable(answer);
  }
}

function write(at: At, run: RestoreOutlook): Filled {
  const { restore, memory, now } = at;
  const { state, record } = run.decision;
  const away = repositoryAway(run, hasBegun(record));
  if (away) return { ...recorded(run), ...missing(at, away) };
  const { phase = "Restoring", ...fields } = restoreFields({ restore, now }, run);
  const shown = { ...fields, resolved: memory.resolved ?? {} };
  const stand = standOfRestore(state, "writing the data");
  if (state.phase !== "Ended") return { phase, stand, fields: shown, ...recorded(run) };
  const end = phase === "Failed" ? failed(at, stand) : full(at, stand);
  return { ...end, fields: shown };
}

function recorded(outlook: Outlook): Pick<Filled, "records" | "intents" | "wakeAt"> {
  return { records: { [outlook.task.purpose]: slim(outlook.decision.record) }, ...carryOut(outlook) };
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
  return { phase: "Resolving", stand: DECIDED, memory, records: {}, intents: [], wakeAt: now, fields };
}

/** The next look finds it full, and hands it over. */
function full({ memory, now }: At, stand: Stand): Filled {
  return {
    phase: "Restoring",
    stand: { ...stand, state: "reconciling" },
    memory: { ...memory, filled: true, filledAt: timestamp(now) },
    records: {},
    intents: [],
    wakeAt: now,
  };
}

function failed({ restore }: At, stand: Stand): Filled {
  const memory = { failed: { edition: edition(restore), reason: stand.reason } };
  return { phase: "Failed", stand, memory, records: {}, intents: [] };
}

/** The source, or the repository that it is in, is not there. The claim waits for good, but says when that is too long. */
function missing(at: At, problem: Problem): Filled {
  if (problem.class !== "transient") return held(at, problem);
  const { restore, now } = at;
  const { problem: told, waiting } = awaited(restore, problem, now);
  return { ...held(at, told), waiting, wakeAt: wakeFor(problem, now) };
}

/** There can be no run now. */
function withoutRun(at: At, problem: NoRun, begun: boolean): Filled {
  return problem.away && !begun ? missing(at, problem) : held(at, problem);
}

function held(at: At, problem: Problem): Filled {
  const phase = problem.class === "terminal" ? "Failed" : "Pending";
  return { phase, stand: standOf(problem), intents: [], wakeAt: wakeFor(problem, at.now) };
}

const LOOKING: Filled = {
  phase: "Resolving",
  stand: { state: "reconciling", reason: "Resolving", message: "The source is looked at." },
  intents: [],
};
