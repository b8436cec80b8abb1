import type { TaskState } from "../../../core/work/task_decision.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Result } from "../../../lib/result.ts";
import type { Decision } from "../decision.ts";
import { carryOut, type Outlook } from "../outlook.ts";
import type { Problem } from "../problem.ts";
import { recordsOf } from "../records.ts";
import { soonest } from "../soonest.ts";
import { wakeFor } from "../verdicts.ts";
import { LATE, type LateTurn } from "./late_runs.ts";

/** The search for what movers leave that nobody saw end. */
export interface ObservedLate {
  readonly turn: LateTurn;
  /** The run that looks, where it is its turn. */
  readonly run?: Result<Outlook, Problem>;
  /** Those that looked before: what is left of them goes. Default: none. */
  readonly earlier?: readonly Outlook[];
}

/** The decision for a Backup that has succeeded, and with it the search for late snapshots of its runs. */
export function withLateRuns(
  decision: Decision<BackupStatus>,
  backup: Backup,
  late: ObservedLate | undefined,
  now: number,
): Decision<BackupStatus> {
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

/** Nothing is tried again of looks that are over: why they failed takes room that the Backup's own words need. */
function pastLooks(earlier: readonly Outlook[]): object {
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
  const message = `A mover that nobody saw end had worked on: ${deleted} snapshots of its run were deleted, since this Backup has those of a later one.`;
  return [{ type: "Warning", reason: "LateSnapshotDeleted", message }];
}
