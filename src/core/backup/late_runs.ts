import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Result } from "../../lib/result.ts";
import { soonest } from "../../lib/soonest.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Problem } from "../reconcile/problem.ts";
import { wakeFor } from "../reconcile/ready_state.ts";
import { recordOf, recordsOf } from "../reconcile/records.ts";
import { carryOut, type TaskPlan } from "../reconcile/task_plan.ts";
import { type Repository, repositoryName } from "../repository/repository.ts";
import { runId } from "../work/run_id.ts";
import type { RunGate } from "../work/run_policy.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { BackupDecision, BackupObject, BackupState } from "./backup.ts";
import { SNAPSHOT } from "./snapshot_task.ts";

/** Under this it is remembered since when late snapshots are looked for; purposes of runs that look begin with it. */
export const LATE = "late";

export interface LateMemory {
  /** ISO 8601. */
  readonly since: string;
}

/** When it is looked, after the backup succeeded, in milliseconds: what was given up rarely works for longer. */
const ROUNDS: readonly number[] = [60_000, 600_000, 3_600_000, 86_400_000];

/**
 * Runs of a backup whose movers nobody saw end, and whose snapshots it does not name. A mover that worked on although
 * its node was given up makes a snapshot beside the one that counts: it is told by its run's tag, and deleted.
 */
export function lateRuns({ metadata, status }: BackupObject): readonly string[] {
  const named = new Set((status?.snapshots ?? []).map(({ runID }) => runID));
  const { outcome, attempt = 0, unseen = [] } = recordOf(status, SNAPSHOT) ?? {};
  if (outcome === "Succeeded") named.add(status?.job?.runID);
  // Those that asked about an attempt or cleaned up after it make no snapshots.
  const attempts = new Set<string>();
  for (let n = 1; n <= attempt; n++) attempts.add(runId({ owner: metadata, purpose: SNAPSHOT, attempt: n }));
  return unseen.filter((run) => attempts.has(run) && !named.has(run));
}

export type LateTurn =
  /** That it will be looked has to be remembered first. */
  | { readonly type: "Note" }
  | { readonly type: "Wait"; readonly until: number }
  /** This run looks, or has looked; the next one does so at `until`. */
  | { readonly type: "Look"; readonly purpose: string; readonly until?: number };

/** What is next in the search for late snapshots; undefined where there is nothing to look for. */
export function lateTurn(backup: BackupObject, now: number): LateTurn | undefined {
  const { status } = backup;
  if (status?.phase !== "Succeeded" || lateRuns(backup).length === 0) return undefined;
  const memory = recordsOf(status)[LATE] as LateMemory | undefined;
  if (!memory) return { type: "Note" };
  const looked = ROUNDS.findLastIndex((_, round) => recordOf(status, purposeOf(round)));
  const last = looked < 0 ? undefined : purposeOf(looked);
  if (last && !recordOf(status, last)?.outcome) return { type: "Look", purpose: last };
  const begun = Date.parse(memory.since);
  const due = ROUNDS.findLastIndex((delay) => now >= begun + delay);
  if (due > looked) return { type: "Look", purpose: purposeOf(due) };
  const delay = ROUNDS[looked + 1];
  const until = delay === undefined ? undefined : begun + delay;
  if (last) return { type: "Look", purpose: last, ...(until === undefined ? {} : { until }) };
  return until === undefined ? undefined : { type: "Wait", until };
}

/** The runs that have looked before this one. */
export function earlierLooks(status: BackupState | undefined, purpose: string): readonly string[] {
  return ROUNDS.map((_, round) => purposeOf(round)).filter(
    (other) => other !== purpose && recordOf(status, other) !== undefined,
  );
}

function purposeOf(round: number): string {
  return `${LATE}-${round + 1}`;
}

/** The search for what movers leave that nobody saw end. */
export interface ObservedLate {
  readonly turn: LateTurn;
  /** The run that looks, where it is its turn. */
  readonly run?: Result<TaskPlan, Problem>;
  /** Those that looked before: what is left of them goes. Default: none. */
  readonly earlier?: readonly TaskPlan[];
}

/** The decision for a backup that has succeeded, and with it the search for late snapshots of its runs. */
export function withLateRuns(
  decision: BackupDecision,
  backup: BackupObject,
  late: ObservedLate | undefined,
  now: number,
): BackupDecision {
  if (!late) return decision;
  const { turn, run, earlier = [] } = late;
  const status = decision.status ?? backup.status ?? {};
  const remembering = (more: object) => ({ ...status, work: { ...recordsOf(status), ...more } });
  if (turn.type === "Note") {
    return { ...decision, status: remembering({ [LATE]: { since: timestamp(now) } }), wakeAt: now };
  }
  if (turn.type === "Wait") return { ...decision, wakeAt: soonest(decision.wakeAt, turn.until) };
  if (!run?.ok) {
    const wakeAt = run ? wakeFor(run.error, now) : undefined;
    return { ...decision, wakeAt: soonest(decision.wakeAt, turn.until, wakeAt) };
  }
  const { task, decision: found } = run.value;
  const doing = carryOut(run.value);
  return {
    ...decision,
    status: remembering({ ...pastLooks(earlier), [task.purpose]: found.record }),
    intents: [...[...earlier, run.value].flatMap((one) => carryOut(one).intents), ...decision.intents],
    events: [...(decision.events ?? []), ...notes(found.state)],
    wakeAt: soonest(decision.wakeAt, doing.wakeAt, turn.until),
  };
}

/** Nothing is tried again of looks that are over: why they failed takes room that the backup's own words need. */
function pastLooks(earlier: readonly TaskPlan[]): object {
  const records = earlier.map(({ task, decision: { record } }) => {
    const { lastFailure: _, failedAttempt: __, ...kept } = record;
    return [task.purpose, kept];
  });
  return Object.fromEntries(records);
}

function notes(state: TaskState): readonly EventNote[] {
  const answer = state.phase === "Ended" ? state.result?.answer : undefined;
  const deleted = answer && "delete" in answer ? answer.delete.deleted : 0;
  if (deleted === 0) return [];
  const message = `A mover that the operator had given up had worked on. The operator deleted the ${deleted} snapshots of its run, because the backup has those of a later one.`;
  return [{ type: "Warning", reason: "LateSnapshotDeleted", message }];
}

/** What may keep snapshots that came late from being deleted. */
export interface LateView {
  /** It is not certain that the repository holds the backup's own snapshots: the late one may be all that is left. */
  readonly doubted: boolean;
  /** Why it is not certain which snapshots the repository holds. */
  readonly uncertain: string | undefined;
  /** A restore that may have chosen the late one, as the newest that there was. */
  reader(): KubeObject | undefined;
}

/** Whether what came late may be deleted now. */
export function lateGate(repository: Repository, { doubted, uncertain, reader }: LateView): RunGate {
  const shut = (reason: string, message: string): RunGate => ({ open: false, reason, message });
  if (doubted) {
    const message = "It is not certain that the repository holds the snapshots of this backup.";
    return shut(CONDITIONS.snapshotMissing, message);
  }
  if (uncertain !== undefined) {
    const message = `It is not certain which snapshots ${repositoryName(repository)} holds: ${uncertain}`;
    return shut(CONDITIONS.catalogShrunk, message);
  }
  const restore = reader();
  if (!restore) return { open: true };
  const message = `${restore.kind} ${keyOf(restore)} reads a snapshot of this identity that no backup made.`;
  return shut("SnapshotMayBeRead", message);
}
