import type { KubeObject } from "../../kube/object.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { BELIEVED_AHEAD } from "../policy/schedule_anchor.ts";
import type { ScheduleState } from "./schedule_object.ts";

/** A backup that a schedule made, as its API knows it. */
export interface ScheduledRun<B extends KubeObject = KubeObject> {
  readonly slot: number;
  /** When it was due, jitter included, where the backup says so. */
  readonly scheduledAt?: string | undefined;
  readonly backup: B;
  readonly state: "running" | "succeeded" | "failed" | "leaving";
  /** Snapshots go with it, though it failed. */
  readonly holdsData: boolean;
  /** Somebody wants it to stay. */
  readonly held: boolean;
}

type Counts = Pick<ScheduleState, "consecutiveFailures" | "countedUntil" | "lastSuccessfulSchedule">;

/**
 * What the status says of how runs ended. Every end counts once, in the order of the slots, so that it does not matter
 * which of the backups are still there; what ends out of turn waits for those before it. A slot that a wrong clock made is
 * not the last: where it was counted, what is there is counted anew.
 */
export function countRuns(before: Counts, runs: readonly ScheduledRun[], now: number): Counts {
  const isAhead = (time: number) => time > now + BELIEVED_AHEAD;
  const { lastSuccessfulSchedule: last, countedUntil } = before;
  const known = isAhead(Date.parse(last?.at ?? "")) ? undefined : last;
  const counted: Counts = isAhead(Date.parse(countedUntil ?? "")) ? {} : before;
  const since = Date.parse(counted.countedUntil ?? "");
  const open = runs.find(({ state }) => state === "running")?.slot ?? Number.POSITIVE_INFINITY;
  const ended = runs.filter(
    ({ slot, state }) => (state === "succeeded" || state === "failed") && !isAhead(slot),
  );
  let failures = counted.consecutiveFailures ?? 0;
  let until = counted.countedUntil;
  for (const { slot, state } of ended) {
    if (slot <= since || slot >= open) continue;
    failures = state === "failed" ? failures + 1 : 0;
    until = timestamp(slot);
  }
  // One that had failed may have been tried again, by an edit.
  if (ended.at(-1)?.state === "succeeded") failures = 0;
  const success = successOf(ended.findLast(({ state }) => state === "succeeded"));
  const newest = success && !(Date.parse(success.at) <= Date.parse(known?.at ?? "")) ? success : known;
  return {
    consecutiveFailures: failures,
    ...(until === undefined ? {} : { countedUntil: until }),
    ...(newest ? { lastSuccessfulSchedule: newest } : {}),
  };
}

function successOf(run: ScheduledRun | undefined): Counts["lastSuccessfulSchedule"] {
  if (!run) return undefined;
  const { name } = run.backup.metadata;
  return { at: run.scheduledAt ?? timestamp(run.slot), backupRef: { name } };
}

type Created = Pick<ScheduleState, "backupsCreated" | "createdSlots">;

/** So many are enough to tell those apart that are made at about the same time. */
const MOST_SLOTS = 8;

/**
 * How many backups a schedule has created: what it makes now, and what was made by somebody who did not come to count it.
 * That may be an earlier slot than the last that was decided, where two were at work by different clocks, so that each
 * is counted by its own slot.
 */
export function createdSoFar(
  before: Created & Pick<ScheduleState, "decidedUntil">,
  runs: readonly ScheduledRun[],
  making: number | undefined,
): Created {
  const { backupsCreated = 0, decidedUntil = "" } = before;
  const slots = runs.map(({ slot }) => timestamp(slot));
  // Until they were noted, all that had been decided was counted.
  const counted = before.createdSlots ?? slots.filter((slot) => slot <= decidedUntil).slice(-MOST_SLOTS);
  const oldest = counted.length < MOST_SLOTS ? "" : (counted[0] ?? "");
  // One that is made now was never counted, however far ahead the clock was by which the others were made.
  const made = making === undefined ? [] : [timestamp(making)];
  const seen = [...slots.filter((slot) => slot > oldest), ...made];
  const fresh = new Set(seen.filter((slot) => !counted.includes(slot)));
  const created = backupsCreated + fresh.size;
  if (created === 0) return {};
  return { backupsCreated: created, createdSlots: [...counted, ...fresh].sort().slice(-MOST_SLOTS) };
}

/**
 * The failed backups that are more than `limit`. Those that hold snapshots are none of them: what failed was a hook after
 * the capture, and the data is good. Those that are not counted yet stay, and so does the one of the newest slot: while
 * it is there, its slot cannot be made a second time, however late a request for it arrives.
 */
export function surplusFailures<B extends KubeObject>(
  runs: readonly ScheduledRun<B>[],
  { limit, countedUntil }: { readonly limit: number; readonly countedUntil: string | undefined },
): readonly B[] {
  const newest = runs.at(-1)?.slot;
  return runs
    .filter(({ state, holdsData }) => state === "failed" && !holdsData)
    .toReversed()
    .slice(limit)
    .filter(({ slot, held }) => slot !== newest && slot <= Date.parse(countedUntil ?? "") && !held)
    .map(({ backup }) => backup);
}
