import { type Cron, parseCron } from "../../../core/policy/cron.ts";
import { isUnfinished, recordOf, recordsOf } from "../../../core/reconcile/records.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { ok, type Result } from "../../../lib/result.ts";
import { soonest } from "../../../lib/soonest.ts";
import type { Work } from "../../../wire/work.ts";

/** What is done to a repository by schedule, one after the other, in this order. */
export const CHORES = ["check", "prune", "verification"] as const;
export type Chore = (typeof CHORES)[number];

/** Space is given back also where nobody thought of it. */
const DEFAULT_PRUNE = "0 3 * * 0";

const PREFIX = "chore-";

type Crons = Readonly<Partial<Record<Chore, Cron>>>;

/** When each is due; or what is wrong with an expression. */
export function choreCrons({ metadata, spec }: ResticRepository): Result<Crons, string> {
  const { maintenanceSchedule: given } = spec;
  const wanted = {
    check: given?.check,
    prune: given?.prune ?? DEFAULT_PRUNE,
    verification: given?.verification,
  };
  const crons: Partial<Record<Chore, Cron>> = {};
  for (const chore of CHORES) {
    const expression = wanted[chore];
    if (expression === undefined) continue;
    const cron = parseCron({ expression, seed: `${metadata.uid}/${chore}` });
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
  readonly next: Readonly<Partial<Record<Chore, number>>>;
  readonly wakeAt?: number | undefined;
}

/** What is to be done to a repository now. What was missed is done once. */
export function decideChores(object: ResticRepository, crons: Crons, now: number): ChoresDecision {
  const { metadata, status } = object;
  const next: Partial<Record<Chore, number>> = {};
  const due: ChoreRun[] = [];
  for (const chore of CHORES) {
    const cron = crons[chore];
    if (!cron) continue;
    const last = Date.parse(status?.maintenance?.[chore]?.lastTime ?? metadata.creationTimestamp);
    const slot = cron.next(Math.min(last, now));
    const latest = slot !== undefined && slot <= now ? cron.previous(now + 1) : undefined;
    if (latest !== undefined) due.push({ chore, slot: latest, purpose: purposeOf(chore, latest) });
    const following = cron.next(now);
    if (following !== undefined) next[chore] = following;
  }
  const run = knownRun(object, true) ?? due[0] ?? knownRun(object, false);
  return { ...(run ? { run } : {}), next, wakeAt: soonest(...Object.values(next)) };
}

/** The run that is remembered: one that has not ended, or any. */
function knownRun({ status }: ResticRepository, unfinished: boolean): ChoreRun | undefined {
  const purposes = Object.keys(recordsOf(status)).filter((one) => one.startsWith(PREFIX));
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
export function choreWork({ spec }: ResticRepository, chore: Chore): Work {
  switch (chore) {
    case "check":
      return { check: {} };
    case "prune":
      return { maintain: { mode: "Full" } };
    case "verification":
      return { check: { dataPercent: spec.maintenanceSchedule?.verificationPercent ?? 5 } };
  }
}

type Marks = NonNullable<NonNullable<ResticRepository["status"]>["maintenance"]>;

/** What the status says of a chore that has ended. */
export function afterChore(
  before: Marks | undefined,
  { chore, slot }: ChoreRun,
  end: { readonly succeeded: boolean; readonly message: string },
  now: number,
): Marks {
  const { error: _, ...kept } = before?.[chore] ?? {};
  const mark = {
    ...kept,
    lastTime: timestamp(slot),
    ...(end.succeeded ? { lastSuccess: timestamp(now) } : { error: end.message }),
  };
  return { ...before, [chore]: mark };
}
