import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { claimExists } from "../../../core/volumes/ensure_claim.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import type { Workload } from "../../../core/workloads/scaling/workload.ts";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { type Result, unreachable } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
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
  withoutPlaces,
} from "./awaited.ts";
import { clearance, existingClaimProblem } from "./in_place.ts";
import { isWriting } from "./others_on_claim.ts";
import type { Pinned, Resolution, Sources } from "./resolution.ts";
import { restoreConditions } from "./restore_conditions.ts";
import { failedFields, restoreFields, standOfRestore } from "./restore_progress.ts";
import { claimRequest, type NewClaim } from "./restore_target.ts";
import { askPurpose, RESTORE } from "./restore_tasks.ts";
import { broughtBack } from "./scaled_workloads.ts";

export interface ObservedRestore extends Sources {
  readonly resolution: Result<Resolution, Problem>;
  /** The claim of the target's name, where there is one. */
  readonly claim?: Claim | undefined;
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<RestoreOutlook, NoRun> | undefined;
  /** The run that writes the data, once it is known what and where to. */
  readonly run?: Result<RestoreOutlook, NoRun> | undefined;
  /** Whether an existing claim is free, while that matters. */
  readonly use?: UseDecision;
  /** What was scaled down for this, as it is now. */
  readonly scaled: readonly Workload[];
}

type Ask = Extract<Resolution, { readonly type: "Ask" }>;

/** What follows for a Restore with a target. */
export function decideRestore(observed: ObservedRestore): Decision<RestoreStatus> {
  return broughtBack(observed, restoring(observed));
}

function restoring(observed: ObservedRestore): Decision<RestoreStatus> {
  const { restore, resolution, run } = observed;
  // What was restored is somebody's data by now, whatever is edited.
  if (restore.status?.phase === "Completed") return run?.ok ? carryOut(run.value) : { intents: [] };
  // Whatever comes now comes too late: nobody expects a volume to be written days later.
  if (hasGivenUp(restore)) return { intents: [] };
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
      return decided(observed, answer.stand, { ...doing, phase: "Resolving" });
    case "Over":
      return carryOut(asking.value);
    case "Failed": {
      const ended = answer.run && state.phase === "Ended" ? state : undefined;
      const failed = ended ? failedFields(observed, asking.value, ended) : {};
      return decided(observed, answer.stand, { ...doing, phase: "Failed", ...failed });
    }
    case "Pinned":
      return decided(observed, PINNED, {
        ...doing,
        wakeAt: now,
        phase: "Resolving",
        resolved: answer.pinned,
      });
    default:
      return unreachable(answer);
  }
}

const PINNED: Stand = { state: "reconciling", reason: "Resolved", message: "What is restored is decided." };

function restoreInto(observed: ObservedRestore, pinned: Pinned): Decision<RestoreStatus> {
  const { pvc, pvcRef } = observed.restore.spec.target ?? {};
  if (pvc) return intoNewClaim(observed, pinned, pvc);
  return pvcRef ? intoExistingClaim(observed, pinned, pvcRef.name) : { intents: [] };
}

function intoNewClaim(observed: ObservedRestore, pinned: Pinned, target: NewClaim): Decision<RestoreStatus> {
  const { restore, claim } = observed;
  const place = { resolved: pinned, target: { pvcRef: { name: target.name } } };
  if (!claim) {
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
  if (!isMadeFor(claim, restore.metadata.uid) || claim.metadata.deletionTimestamp) {
    const { reason, message } = claimExists(claim);
    return held(observed, blocked(reason, message), place);
  }
  if (pinned.noSnapshot) return decided(observed, EMPTY, { ...place, phase: "Completed" });
  return written(observed, place);
}

function intoExistingClaim(observed: ObservedRestore, pinned: Pinned, name: string): Decision<RestoreStatus> {
  const { restore, claim, run, use } = observed;
  const place = { resolved: pinned, target: { pvcRef: { name } } };
  const problem = existingClaimProblem(name, claim);
  if (problem) return held(observed, problem, place);
  if (pinned.noSnapshot) return decided(observed, UNTOUCHED, { ...place, phase: "Completed" });
  const needed = use && run?.ok && isHeldBy(run.value, use) ? clearance(observed, use) : undefined;
  if (!needed) return written(observed, place);
  const { stand, ...fields } = needed;
  const phase = restore.status?.phase === "Restoring" ? "Restoring" : "Pending";
  return decided(observed, stand, { ...place, phase, ...fields });
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
    if (hasFailed(restore, known)) return { intents: [] };
    // As long as a Job writes, this is not over: the snapshot is read, and workloads are kept away.
    const fields = isWriting(restore) ? { ...place, phase: "Restoring" as const } : place;
    return withoutRun(observed, run.error, hasBegun(known), fields);
  }
  const { state, record } = run.value.decision;
  const work = { [run.value.task.purpose]: record };
  if (state.phase === "Ended" && !state.result && restore.status?.phase === "Failed")
    return carryOut(run.value);
  const fields = { ...carryOut(run.value), ...place, work, ...restoreFields(observed, run.value) };
  const away = repositoryAway(run.value, hasBegun(record));
  if (away) return missing(observed, away, fields);
  return decided(observed, standOfRestore(state, "writing the data"), fields);
}

const UNTOUCHED: Stand = {
  state: "ready",
  reason: "NoSnapshot",
  message:
    "The repository answered that it holds no snapshot: the volume is left as it is, as the policy wants it.",
};

const EMPTY: Stand = {
  state: "ready",
  reason: "NoSnapshot",
  message: "The repository answered that it holds no snapshot: the volume is empty, as the policy wants it.",
};

type Fields = Partial<RestoreStatus> & Partial<Omit<Decision<never>, "status">>;

function held(observed: ObservedRestore, problem: Problem, fields: Fields = {}): Decision<RestoreStatus> {
  const phase = problem.class === "terminal" ? "Failed" : "Pending";
  return decided(observed, standOf(problem), { phase, ...fields, wakeAt: wakeFor(problem, observed.now) });
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
        [...restored(status), ...restoreConditions({ ...kept, ...status })],
        now,
      ),
    },
    intents,
    events: newsOf(restore, stand),
    wakeAt,
  };
}

function restored({ phase, losses, resolved }: Fields): readonly WantedCondition[] {
  if (phase !== "Completed" || resolved?.noSnapshot) return [];
  const count = losses?.reduce((all, one) => all + one.count, 0) ?? 0;
  const message =
    count === 0
      ? "Everything came back as it was."
      : `${count} things did not come back as they were; see status.losses.`;
  return [{ type: "Restored", status: "True", reason: count === 0 ? "Complete" : "WithLosses", message }];
}
