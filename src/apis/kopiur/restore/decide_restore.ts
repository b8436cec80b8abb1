import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { claimExists } from "../../../core/volumes/ensure_claim.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { HiddenWorkload, Workload } from "../../../core/workloads/scaling/workload.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { type Result, unreachable } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { edition } from "../editions.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import { blocked, type Problem } from "../problem.ts";
import { recordOf, recordsOf } from "../records.ts";
import { soonest } from "../soonest.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { answered } from "./answer.ts";
import {
  awaited,
  goesOn,
  hasBegun,
  hasFailed,
  hasGivenUp,
  hasJob,
  type NoRun,
  type RestoreOutlook,
  repositoryAway,
  stillWaiting,
  withoutPlaces,
} from "./awaited.ts";
import { HANDING_OVER } from "./hand_over.ts";
import { type Clearance, clearance, existingClaimProblem } from "./in_place.ts";
import { isLost, lostProblem } from "./lost_volume.ts";
import { isFilled, newClaimStep, type Through } from "./new_claim.ts";
import { isWriting } from "./others_on_claim.ts";
import { asItStands, reserving } from "./reserving.ts";
import type { Pinned, Resolution, Sources } from "./resolution.ts";
import { restoreConditions, restored } from "./restore_conditions.ts";
import { failedFields, restoreFields, standOfRestore } from "./restore_progress.ts";
import { claimRequest, type NewClaim } from "./restore_target.ts";
import { askPurpose, RESTORE } from "./restore_tasks.ts";
import { broughtBack, isScalingRefused } from "./scaled_workloads.ts";
import { watched } from "./used_meanwhile.ts";

export interface ObservedRestore extends Sources {
  readonly resolution: Result<Resolution, Problem>;
  /** The claim of the target's name, where there is one. */
  readonly claim?: Claim | undefined;
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<RestoreOutlook, NoRun> | undefined;
  /** The run that writes the data, once it is known what and where to. */
  readonly run?: Result<RestoreOutlook, NoRun> | undefined;
  /** Whether the target's volume may be written, or who gets it while it is. */
  readonly use?: UseDecision;
  /** What a new claim is filled through. */
  readonly through?: Through;
  /** When the new claim was refused last, which is what the Restore says then. */
  readonly refusedAt?: number | undefined;
  /** What was scaled down for this, as it is now. */
  readonly scaled: readonly Workload[];
  /** What of that we may not read. */
  readonly hidden?: readonly HiddenWorkload[];
}

type Ask = Extract<Resolution, { readonly type: "Ask" }>;

/** What follows for a Restore with a target. */
export function decideRestore(observed: ObservedRestore): Decision<RestoreStatus> {
  return broughtBack(observed, watched(observed, restoring(observed)));
}

function restoring(observed: ObservedRestore): Decision<RestoreStatus> {
  const { restore, resolution, run } = observed;
  // What was restored is somebody's data by now, whatever is edited.
  if (restore.status?.phase === "Completed") return run?.ok ? carryOut(run.value) : { intents: [] };
  // Whatever comes now comes too late: nobody expects a volume to be written days later.
  if (hasGivenUp(restore)) return { intents: [] };
  // So it is when its claims are tidied up after it: they are not made again for it.
  if (hasFailed(restore, recordOf(restore.status, RESTORE)))
    return run?.ok ? carryOut(run.value) : { intents: [] };
  if (!resolution.ok) {
    return goesOn(observed) ? held(observed, resolution.error) : missing(observed, resolution.error);
  }
  if (resolution.value.type === "Ask") return ask(observed, resolution.value);
  return restoreInto(observed, resolution.value.pinned);
}

function ask(observed: ObservedRestore, asked: Ask): Decision<RestoreStatus> {
  const { restore, asking, now } = observed;
  if (!asking) return { intents: [] };
  if (!asking.ok) {
    const known = recordOf(restore.status, askPurpose(restore, asked));
    return hasFailed(restore, known) ? { intents: [] } : withoutRun(observed, asking.error, hasJob(known));
  }
  const { record, state } = asking.value.decision;
  const doing = { ...carryOut(asking.value), work: { [asking.value.task.purpose]: record } };
  const away = repositoryAway(asking.value, hasJob(record));
  if (away) return missing(observed, away, { ...doing, phase: "Resolving" });
  const answer = answered(observed, asked, asking.value);
  switch (answer.type) {
    case "Asking":
      return decided(observed, answer.stand, {
        ...doing,
        ...stillWaiting(restore, asking.value),
        phase: "Resolving",
      });
    case "Over":
      return carryOut(asking.value);
    case "Failed": {
      const ended = answer.run && state.phase === "Ended" ? state : undefined;
      const failed = ended ? failedFields(observed, asking.value, ended) : {};
      return decided(observed, answer.stand, { ...doing, phase: "Failed", ...failed });
    }
    case "Pinned":
      return decided(observed, answer.stand, {
        ...doing,
        wakeAt: now,
        phase: "Resolving",
        resolved: answer.pinned,
      });
    default:
      return unreachable(answer);
  }
}

function restoreInto(observed: ObservedRestore, pinned: Pinned): Decision<RestoreStatus> {
  const { pvc, pvcRef } = observed.restore.spec.target ?? {};
  if (isLost(observed)) return withoutVolume(observed);
  if (pvc) return intoNewClaim(observed, pinned, pvc);
  return pvcRef ? intoExistingClaim(observed, pinned, pvcRef.name) : { intents: [] };
}

function intoNewClaim(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreStatus> {
  const { through } = observed;
  return through ? throughPrime(observed, through, pinned, target) : intoItself(observed, pinned, target);
}

/** The claim is made for a volume that nobody can mount, and which becomes its own once the data is in it. */
function throughPrime(
  observed: ObservedRestore,
  through: Through,
  pinned: Pinned,
  target: NewClaim,
): Decision<RestoreStatus> {
  const { restore, run } = observed;
  const { prime } = through;
  const step = newClaimStep(observed, through, target);
  const over = step.type === "Stands" && step.fields.phase === "Completed";
  // That there was one says of a claim with a volume that it waits for that very volume.
  const name = prime?.metadata.name ?? restore.status?.target?.pvcPrime;
  const pvcPrime = name !== undefined && !over ? { pvcPrime: name } : {};
  const place = { resolved: pinned, target: { pvcRef: { name: target.name }, ...pvcPrime } };
  if (step.type === "Held" && !isWriting(restore))
    return held(observed, step.problem, { ...step.fields, ...place, ...frozen(restore) });
  if (step.type === "Stands" && !isWriting(restore)) {
    const { stand, fields, intents, wakeAt } = step;
    // Before the volume is filled there is nothing to tidy up, and no run may begin behind what is said here.
    const tidying = isFilled(restore) && run?.ok ? carryOut(run.value).intents : [];
    return decided(observed, stand, { ...fields, ...place, intents: [...intents, ...tidying], wakeAt });
  }
  const decision = writtenWhenFree(observed, place);
  return step.type === "Write" ? reserving(observed, decision, step.intents) : decision;
}

/** Where volumes cannot be handed over, the claim itself is written. */
function intoItself(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreStatus> {
  const { restore, claim, use } = observed;
  const place = directly(target.name, claim, pinned);
  if (claim && (!isMadeFor(claim, restore.metadata.uid) || claim.metadata.deletionTimestamp)) {
    const { reason, message } = claimExists(claim);
    return held(observed, blocked(reason, message), { ...place, ...frozen(restore) });
  }
  if (isFilled(restore)) return held(observed, filledElsewhere(target.name), place);
  if (!claim) {
    // Whoever waits for the claim would have it as soon as it is there.
    const needed = use && clearance(observed, use);
    if (needed) return cleared(observed, place, needed);
    const stand: Stand = {
      state: "reconciling",
      reason: "CreatingClaim",
      message: `The claim ${target.name} is created.`,
    };
    const request = claimRequest(restore, target);
    return decided(observed, stand, {
      ...place,
      phase: "Resolving",
      intents: [{ type: "EnsureClaim", request }],
    });
  }
  if (pinned.noSnapshot) return decided(observed, EMPTY, { ...place, phase: "Completed" });
  return writtenWhenFree(observed, place);
}

function intoExistingClaim(observed: ObservedRestore, pinned: Pinned, name: string): Decision<RestoreStatus> {
  const { restore, claim } = observed;
  const place = directly(name, claim, pinned);
  if (isFilled(restore)) return held(observed, filledElsewhere(name), place);
  const problem = existingClaimProblem(name, claim);
  if (problem) return held(observed, problem, place);
  if (pinned.noSnapshot) return decided(observed, UNTOUCHED, { ...place, phase: "Completed" });
  return writtenWhenFree(observed, place);
}

/** A claim that is written itself is noted with its UID: what is written is in no other of its name. */
function directly(name: string, claim: Claim | undefined, resolved: Pinned): Fields {
  return { resolved, target: { pvcRef: { name, ...(claim ? { uid: claim.metadata.uid } : {}) } } };
}

/**
 * What was written went with its volume: another one is not written behind the back of whoever took it away. The run is
 * looked after until it has ended, and its end, whatever it is, is nobody's. An edit begins anew.
 */
function withoutVolume(observed: ObservedRestore): Decision<RestoreStatus> {
  const { restore, run } = observed;
  const problem = lostProblem(observed);
  if (!run?.ok) return held(observed, problem, { phase: "Restoring" });
  const { task, decision } = run.value;
  const { state, record } = decision;
  const doing = carryOut(run.value);
  if (state.phase !== "Ended") {
    const work = { [task.purpose]: record };
    return decided(observed, standOf(problem), { ...doing, work, phase: "Restoring" });
  }
  const ended: RunRecord = { ...record, edition: edition(restore), outcome: "Failed" };
  const work = { [task.purpose]: ended };
  return decided(observed, standOf({ ...problem, class: "terminal" }), { ...doing, work, phase: "Failed" });
}

/** As long as a volume is written, or waits filled for its claim, an edit of the target would leave the data behind. */
function frozen(restore: Restore): Pick<RestoreStatus, "phase"> {
  return isFilled(restore) || isWriting(restore) ? { phase: "Restoring" } : {};
}

/** A claim that is written itself has completed in the moment in which its run has. */
function filledElsewhere(name: string): Problem {
  const message = `The data was written into another volume than that of PersistentVolumeClaim ${name}, which is left as it is. Put the target back as it was, or create another Restore.`;
  return blocked("FilledElsewhere", message);
}

function writtenWhenFree(observed: ObservedRestore, place: Fields): Decision<RestoreStatus> {
  const { run, use } = observed;
  const needed = use && run?.ok && isHeldBy(run.value, use) ? clearance(observed, use) : undefined;
  if (!needed) return written(observed, place);
  if (!run?.ok) return cleared(observed, place, needed);
  const { task, decision } = run.value;
  const work = { [task.purpose]: decision.record };
  const tidying = carryOut(run.value).intents;
  return cleared(observed, { ...place, work }, { ...needed, intents: [...tidying, ...needed.intents] });
}

function cleared(
  observed: ObservedRestore,
  place: Fields,
  { stand, ...fields }: Clearance,
): Decision<RestoreStatus> {
  const phase = observed.restore.status?.phase === "Restoring" ? "Restoring" : "Pending";
  const decision = decided(observed, stand, { ...place, phase, ...fields });
  const refused = fields.scaledWorkloads !== undefined && isScalingRefused(observed.restore.status);
  return refused ? asItStands(observed, decision) : decision;
}

/** Nothing else is in the way of the run: a workload is not scaled down for a repository that is away. */
function isHeldBy({ decision }: Outlook, use: UseDecision): boolean {
  const { state } = decision;
  return use.type !== "Free" && state.phase === "Held" && state.reason === use.reason;
}

function written(observed: ObservedRestore, place: Fields): Decision<RestoreStatus> {
  const { restore, run } = observed;
  if (!run) return { intents: [] };
  if (!run.ok) {
    const known = recordOf(restore.status, RESTORE);
    // As long as a Job writes, this is not over: the snapshot is read, and workloads are kept away.
    const fields = isWriting(restore) ? { ...place, phase: "Restoring" as const } : place;
    return withoutRun(observed, run.error, hasBegun(known), fields);
  }
  const { state, record } = run.value.decision;
  const work = { [run.value.task.purpose]: record };
  const fields = { ...carryOut(run.value), ...place, work, ...restoreFields(observed, run.value) };
  const away = repositoryAway(run.value, hasBegun(record));
  if (away) return missing(observed, away, fields);
  if (fields.phase === "Completed" && observed.through)
    return decided(observed, HANDING_OVER, { ...fields, phase: "Restoring", wakeAt: observed.now });
  return decided(observed, standOfRestore(state, "writing the data"), fields);
}

const UNTOUCHED: Stand = {
  state: "ready",
  reason: "NoSnapshot",
  message:
    "The repository answered that it holds no such snapshot: the volume is left as it is, as the policy wants it.",
};

const EMPTY: Stand = {
  state: "ready",
  reason: "NoSnapshot",
  message:
    "The repository answered that it holds no such snapshot: the volume is empty, as the policy wants it.",
};

type Fields = Partial<RestoreStatus> & Partial<Omit<Decision<never>, "status">>;

function held(observed: ObservedRestore, problem: Problem, fields: Fields = {}): Decision<RestoreStatus> {
  const phase = problem.class === "terminal" ? "Failed" : "Pending";
  const { restore, now } = observed;
  // Whoever cannot begin needs no seat meanwhile; a Job has its own until it has ended.
  const work = withoutPlaces(restore.status ?? {}, ({ job }) => job === undefined);
  return decided(observed, standOf(problem), { phase, ...work, ...fields, wakeAt: wakeFor(problem, now) });
}

/** There can be no run now. */
function withoutRun(
  observed: ObservedRestore,
  problem: NoRun,
  begun: boolean,
  fields: Fields = {},
): Decision<RestoreStatus> {
  return problem.away && !begun ? missing(observed, problem, fields) : held(observed, problem, fields);
}

/** The source, or the repository that it is in, is not there: it is waited for as long as the policy says. */
function missing(observed: ObservedRestore, problem: Problem, fields: Fields = {}): Decision<RestoreStatus> {
  if (problem.class === "terminal") return held(observed, problem, fields);
  const { problem: now, waiting, until } = awaited(observed.restore, problem, observed.now);
  if (now.class === "terminal") {
    const work = { ...recordsOf(observed.restore.status), ...fields.work };
    return held(observed, now, { ...fields, waiting, phase: "Failed", ...withoutPlaces({ work }) });
  }
  const wakeAt = soonest(until, fields.wakeAt, wakeFor(problem, observed.now));
  return decided(observed, standOf(problem), { phase: "Pending", ...fields, waiting, wakeAt });
}

function decided(observed: ObservedRestore, stand: Stand, fields: Fields): Decision<RestoreStatus> {
  const { restore, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, progress: __, waiting: ___, ...kept } = restore.status ?? {};
  const { generation } = restore.metadata;
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      sourceKind: Object.keys(restore.spec.source)[0] ?? "",
      ...status,
      conditions: conditionsFor(
        restore,
        stand,
        [...restored({ ...kept, ...status }), ...restoreConditions({ ...kept, ...status })],
        now,
      ),
    },
    intents,
    events: newsOf(restore, stand),
    wakeAt,
  };
}
