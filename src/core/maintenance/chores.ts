import { timestamp } from "../../kube/write/timestamp.ts";
import { ok, type Result } from "../../lib/result.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Work } from "../../wire/work.ts";
import { type Cron, parseCron } from "../policy/cron.ts";
import { isUnfinished, recordOf, recordsOf } from "../reconcile/records.ts";

/** What is done to a repository that has its own schedules for it, one after the other, in this order. */
export const CHORES = ["check", "prune", "verification"] as const;
export type Chore = (typeof CHORES)[number];
/** Those that say whether a repository is whole. */
const LOOKS = ["verification", "check"] as const;

/** When each is done, in cron, in UTC. */
export type ChoreSchedule = Readonly<Partial<Record<Chore, string>>> & {
  /** As much of the data a verification reads. */
  readonly verificationPercent?: number;
};

/** How one stands, as the status says it. */
export interface ChoreMark {
  readonly lastTime?: string;
  readonly lastSuccess?: string;
  readonly nextTime?: string;
  readonly error?: string;
}

export type ChoreMarks = Readonly<Partial<Record<Chore, ChoreMark>>>;

/** Space is given back also where nobody thought of it. */
const DEFAULT_PRUNE = "0 3 * * 0";
const DEFAULT_PERCENT = 5;

const PREFIX = "chore-";

type Crons = Readonly<Partial<Record<Chore, Cron>>>;

/** When each is due; or what is wrong with an expression. */
export function choreCrons(uid: string, given: ChoreSchedule = {}): Result<Crons, string> {
  const wanted = { ...given, prune: given.prune ?? DEFAULT_PRUNE };
  const crons: Partial<Record<Chore, Cron>> = {};
  for (const chore of CHORES) {
    const expression = wanted[chore];
    if (expression === undefined) continue;
    const cron = parseCron({ expression, seed: `${uid}/${chore}` });
    if (!cron.ok) return cron;
    crons[chore] = cron.value;
  }
  return ok(crons);
}

/** One time that something is done. */
export interface ChoreRun {
  readonly chore: Chore;
  /** The scheduled time, in milliseconds since 1970. */
  readonly slot: number;
  readonly purpose: string;
}

export interface ChoresDecision {
  /** The run that is due or under way, or the last one, of which something may be left to tidy up. */
  readonly run?: ChoreRun;
  /** With the next scheduled times. */
  readonly marks: ChoreMarks;
  readonly wakeAt?: number | undefined;
}

export interface ChoresQuestion {
  readonly crons: Crons;
  readonly marks: ChoreMarks | undefined;
  /** What is remembered of runs. */
  readonly status: object | undefined;
  /** When the repository's object was made. */
  readonly created: string;
  readonly now: number;
}

/** What is to be done to a repository now. What was missed is done once. */
export function decideChores({ crons, marks = {}, status, created, now }: ChoresQuestion): ChoresDecision {
  const after: Partial<Record<Chore, ChoreMark>> = { ...marks };
  const due: ChoreRun[] = [];
  const next: number[] = [];
  for (const chore of CHORES) {
    const cron = crons[chore];
    if (!cron) continue;
    const last = Date.parse(marks[chore]?.lastTime ?? created);
    const slot = cron.next(Math.min(last, now));
    const latest = slot !== undefined && slot <= now ? cron.previous(now + 1) : undefined;
    if (latest !== undefined) due.push(dueRun(chore, latest, marks));
    const following = cron.next(now);
    if (following === undefined) continue;
    next.push(following);
    after[chore] = { ...marks[chore], nextTime: timestamp(following) };
  }
  const run = knownRun(status, true) ?? due[0] ?? knownRun(status, false);
  return { ...(run ? { run } : {}), marks: after, wakeAt: soonest(...next) };
}

/** Nothing is pruned from a repository in which the last look found damage: that look is repeated in its place. */
function dueRun(chore: Chore, slot: number, marks: ChoreMarks): ChoreRun {
  const doubt = LOOKS.find((look) => marks[look]?.error !== undefined);
  const done = chore === "prune" && doubt ? doubt : chore;
  return { chore: done, slot, purpose: purposeOf(done, slot) };
}

/** The run that is remembered: one that has not ended, or any. */
function knownRun(status: object | undefined, unfinished: boolean): ChoreRun | undefined {
  const purposes = Object.keys(recordsOf(status)).filter(isChore);
  const found = purposes.find((one) => !unfinished || isUnfinished(recordOf(status, one)));
  const [, chore, slot = ""] = found?.split("-") ?? [];
  return found === undefined
    ? undefined
    : { chore: chore as Chore, slot: Number.parseInt(slot, 36), purpose: found };
}

function purposeOf(chore: Chore, slot: number): string {
  return `${PREFIX}${chore}-${slot.toString(36)}`;
}

export function isChore(purpose: string): boolean {
  return purpose.startsWith(PREFIX);
}

/** What the mover is told to do. */
export function choreWork(chore: Chore, schedule: ChoreSchedule = {}): Work {
  switch (chore) {
    case "check":
      return { check: {} };
    case "prune":
      return { maintain: { mode: "Full" } };
    case "verification":
      return { check: { dataPercent: schedule.verificationPercent ?? DEFAULT_PERCENT } };
  }
}

/** What the status says of a chore that has ended. */
export function afterChore(
  before: ChoreMarks | undefined,
  { chore, slot }: ChoreRun,
  end: { readonly succeeded: boolean; readonly message: string },
  now: number,
): ChoreMarks {
  const { error: _, ...kept } = before?.[chore] ?? {};
  const mark = {
    ...kept,
    lastTime: timestamp(slot),
    ...(end.succeeded ? { lastSuccess: timestamp(now) } : { error: end.message }),
  };
  return { ...before, [chore]: mark };
}
