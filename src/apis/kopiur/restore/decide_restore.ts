import { durationMs } from "../../../core/policy/duration.ts";
import { type Claim, isMadeFor } from "../../../core/volumes/claim_request.ts";
import { claimExists } from "../../../core/volumes/ensure_claim.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import type { Result } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import { blocked, type Problem, refused } from "../problem.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { pickSnapshot } from "./pick_snapshot.ts";
import { type Pinned, pinAnswer, type Resolution, type Sources } from "./resolution.ts";
import { endOfRestore, failedFields, restoreFields, standOfRestore } from "./restore_progress.ts";
import { claimRequest, targetProblem } from "./restore_target.ts";

export interface ObservedRestore extends Sources {
  readonly resolution: Result<Resolution, Problem>;
  /** The claim of the target's name, where there is one. */
  readonly claim?: Claim | undefined;
  /** The run that asks the repository, while only that knows the snapshot. */
  readonly asking?: Result<Outlook, Problem> | undefined;
  /** The run that writes the data, once it is known what and where to. */
  readonly run?: Result<Outlook, Problem> | undefined;
}

/** What follows for a Restore. */
export function decideRestore(observed: ObservedRestore): Decision<RestoreStatus> {
  const { restore, resolution, run } = observed;
  // What was restored is somebody's data by now, whatever is edited.
  if (restore.status?.phase === "Completed") return run?.ok ? carryOut(run.value) : { intents: [] };
  const problem = targetProblem(restore);
  if (problem) return held(observed, problem);
  if (!resolution.ok) return held(observed, overdue(observed, resolution.error));
  if (resolution.value.type === "Ask") return ask(observed, resolution.value);
  return restoreInto(observed, resolution.value.pinned);
}

/** What is waited for too long is not waited for any more. */
function overdue({ restore, now }: ObservedRestore, problem: Problem): Problem {
  if (problem.reason !== "BackupNotFound" && problem.reason !== "ConfigNotFound") return problem;
  const since = restore.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const { waitTimeout } = restore.spec.policy;
  if (since === undefined || now - Date.parse(since) < durationMs(waitTimeout)) return problem;
  return refused(problem.reason, `${problem.message} It did not come within ${waitTimeout}.`);
}

function ask(
  observed: ObservedRestore,
  asked: Extract<Resolution, { readonly type: "Ask" }>,
): Decision<RestoreStatus> {
  const { restore, asking, now } = observed;
  if (!asking?.ok) return asking ? held(observed, asking.error) : { intents: [] };
  const { record, state } = asking.value.decision;
  const work = { [asking.value.task.purpose]: record };
  const doing = carryOut(asking.value);
  if (state.phase !== "Ended") {
    return decided(observed, standOfRestore(state, "asking for the snapshot"), {
      ...doing,
      work,
      phase: "Resolving",
    });
  }
  if (!state.result) return doing;
  const { answer, failure } = state.result;
  const found = answer && "catalog" in answer ? answer.catalog : undefined;
  if (failure || !found) {
    return decided(observed, endOfRestore(state), {
      ...doing,
      work,
      phase: "Failed",
      ...failedFields(observed, asking.value, state),
    });
  }
  const snapshot = pickSnapshot(found.snapshots, asked.point, now);
  if (!snapshot && found.found > found.snapshots.length) {
    return decided(observed, TOO_FAR_BACK, { ...doing, work, phase: "Failed" });
  }
  if (!snapshot && !mayContinue(restore)) {
    const { username, hostname, path } = asked.identity;
    const message = `The repository holds no such snapshot of ${username}@${hostname}:${path}. Choose another, or set policy.onMissingSnapshot: Continue for an empty volume.`;
    return decided(
      observed,
      { state: "stalled", reason: "NoSnapshot", message },
      { ...doing, work, phase: "Failed" },
    );
  }
  const resolved = pinAnswer(observed, asked, snapshot);
  return decided(observed, PINNED, { ...doing, wakeAt: now, work, phase: "Resolving", resolved });
}

const PINNED: Stand = { state: "reconciling", reason: "Resolved", message: "What is restored is decided." };

const TOO_FAR_BACK: Stand = {
  state: "stalled",
  reason: "TooFarBack",
  message:
    "The snapshot is older than the newest hundred of its identity. Name it with source.identity.snapshotID.",
};

function mayContinue({ spec }: Restore): boolean {
  const { onMissingSnapshot = spec.source.fromConfig ? "Continue" : "Fail" } = spec.policy;
  return onMissingSnapshot === "Continue";
}

function restoreInto(observed: ObservedRestore, pinned: Pinned): Decision<RestoreStatus> {
  const { restore, claim, run } = observed;
  const target = restore.spec.target?.pvc;
  if (!target) return { intents: [] };
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
  if (!run?.ok) return run ? held(observed, run.error, place) : { intents: [] };
  const { state, record } = run.value.decision;
  const work = { [run.value.task.purpose]: record };
  if (state.phase === "Ended" && !state.result && restore.status?.phase === "Failed")
    return carryOut(run.value);
  return decided(observed, standOfRestore(state, "writing the data"), {
    ...carryOut(run.value),
    ...place,
    work,
    ...restoreFields(observed, run.value),
  });
}

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

function decided(observed: ObservedRestore, stand: Stand, fields: Fields): Decision<RestoreStatus> {
  const { restore, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, progress: __, ...kept } = restore.status ?? {};
  const { generation } = restore.metadata;
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      sourceKind: Object.keys(restore.spec.source)[0] ?? "",
      ...status,
      conditions: conditionsFor(restore, stand, restored(status), now),
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
