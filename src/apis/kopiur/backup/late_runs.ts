import { runId } from "../../../core/work/run_id.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { recordOf, recordsOf } from "../records.ts";
import { SNAPSHOT } from "./snapshot_task.ts";

/** Under this it is remembered since when late snapshots are looked for; purposes of runs that look begin with it. */
export const LATE = "late";

export interface LateMemory {
  /** ISO 8601. */
  readonly since: string;
}

/** When it is looked, after the Backup succeeded, in milliseconds: what was given up rarely works for longer. */
const ROUNDS: readonly number[] = [60_000, 600_000, 3_600_000, 86_400_000];

/**
 * Runs of a Backup whose movers nobody saw end, and whose snapshots it does not name. A mover that worked on although
 * its node was given up makes a snapshot beside the one that counts: it is told by its run's tag, and deleted.
 */
export function lateRuns({ metadata, status }: Backup): readonly string[] {
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
export function lateTurn(backup: Backup, now: number): LateTurn | undefined {
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
export function earlierLooks(status: BackupStatus | undefined, purpose: string): readonly string[] {
  return ROUNDS.map((_, round) => purposeOf(round)).filter(
    (other) => other !== purpose && recordOf(status, other) !== undefined,
  );
}

function purposeOf(round: number): string {
  return `${LATE}-${round + 1}`;
}
