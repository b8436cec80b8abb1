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
  /** It reads all data: damage was met, and nothing else says that it is gone. Default: as much as the schedule says. */
  readonly whole?: boolean;
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
  /** A run met damaged data, and nothing has read all of it since. Default false. */
  readonly damaged?: boolean;
  readonly now: number;
}

/** What is to be done to a repository now. What was missed is done once. */
export function decideChores(question: ChoresQuestion): ChoresDecision {
  const { crons, marks = {}, status, created, now } = question;
  const after: Partial<Record<Chore, ChoreMark>> = { ...marks };
  const due: ChoreRun[] = [];
  const next: number[] = [];
  for (const chore of CHORES) {
    const cron = crons[chore];
    if (!cron) continue;
    const last = Date.parse(marks[chore]?.lastTime ?? created);
    const slot = cron.next(Math.min(last, now));
    const latest = slot !== undefined && slot <= now ? cron.previous(now + 1) : undefined;
    if (latest !== undefined) due.push(dueRun(chore, latest, question));
    const following = cron.next(now);
    if (following === undefined) continue;
    next.push(following);
    after[chore] = { ...marks[chore], nextTime: timestamp(following) };
  }
  const run = knownRun(status, true) ?? due[0] ?? knownRun(status, false);
  return { ...(run ? { run } : {}), marks: after, wakeAt: soonest(...next) };
}

/** Nothing is pruned from a repository in which damage was found: it is looked at again in the place of that. */
function dueRun(chore: Chore, slot: number, { marks = {}, damaged = false }: ChoresQuestion): ChoreRun {
  const doubt = damaged ? "verification" : LOOKS.find((look) => marks[look]?.error !== undefined);
  const done = chore === "prune" && doubt ? doubt : chore;
  const whole = damaged && done === "verification";
  return { chore: done, slot, purpose: purposeOf(done, slot, whole), ...(whole ? { whole } : {}) };
}

/** The run that is remembered: one that has not ended, or any. */
function knownRun(status: object | undefined, unfinished: boolean): ChoreRun | undefined {
  const purposes = Object.keys(recordsOf(status)).filter(isChore);
  const found = purposes.find((one) => !unfinished || isUnfinished(recordOf(status, one)));
  const [, chore, slot = "", whole] = found?.split("-") ?? [];
  return found === undefined
    ? undefined
    : {
        ...{ chore: chore as Chore, slot: Number.parseInt(slot, 36), purpose: found },
        ...(whole === WHOLE ? { whole: true } : {}),
      };
}

const WHOLE = "whole";

function purposeOf(chore: Chore, slot: number, whole: boolean): string {
  return `${PREFIX}${chore}-${slot.toString(36)}${whole ? `-${WHOLE}` : ""}`;
}

export function isChore(purpose: string): boolean {
  return purpose.startsWith(PREFIX);
}

/** What the mover is told to do. */
export function choreWork(
  { chore, whole }: Pick<ChoreRun, "chore" | "whole">,
  schedule: ChoreSchedule = {},
): Work {
  switch (chore) {
    case "check":
      return { check: {} };
    case "prune":
      return { maintain: { mode: "Full", check: true } };
    case "verification":
      return { check: { dataPercent: whole ? 100 : (schedule.verificationPercent ?? DEFAULT_PERCENT) } };
  }
}

export interface ChoreEnd {
  readonly succeeded: boolean;
  readonly message: string;
  /** It found damage. */
  readonly damage?: boolean;
}

/** What the status says of a chore that has ended. Damage that a prune found is looked at by a check first. */
export function afterChore(
  before: ChoreMarks | undefined,
  { chore, slot }: ChoreRun,
  end: ChoreEnd,
  now: number,
): ChoreMarks {
  const { error: _, ...kept } = before?.[chore] ?? {};
  const mark = {
    ...kept,
    lastTime: timestamp(slot),
    ...(end.succeeded ? { lastSuccess: timestamp(now) } : { error: end.message }),
  };
  const look = end.damage && chore === "prune" ? { check: { ...before?.check, error: end.message } } : {};
  return { ...before, ...look, [chore]: mark };
}

/** The marks, with why something that is due cannot begin. */
export function blockedChore(before: ChoreMarks, { chore }: ChoreRun, message: string): ChoreMarks {
  return { ...before, [chore]: { ...before[chore], error: message } };
}
