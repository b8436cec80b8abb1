import { fireTime } from "./jitter.ts";
import type { ScheduleHistory, ScheduleMark, ScheduleRules } from "./schedule.ts";
import { type Anchor, anchorOf } from "./schedule_anchor.ts";

export interface Slot {
  /** The instant that the expression names. It is what the slot is known by. */
  readonly slot: number;
  /** When its work begins: the slot with its jitter. */
  readonly at: number;
}

export const MOST_COUNTED = 100;

export type SkipReason = "Missed" | "DeadlineExceeded" | "StillRunning" | "Suspended";

/** Slots that nothing is made for, of one reason: one event, however many they are. */
export interface Skip {
  readonly reason: SkipReason;
  readonly first: number;
  readonly last: number;
  /** No more than {@link MOST_COUNTED} are counted. */
  readonly count: number;
}

export interface ScheduleDecision {
  readonly fire?: Slot;
  /** Work that makes room for `fire`. */
  readonly replace: readonly string[];
  readonly skip: readonly Skip[];
  /** To be kept together with what was skipped, after `fire` was made. */
  readonly mark: ScheduleMark;
  /** None while it is suspended. */
  readonly next?: Slot;
  /** By the clock on the wall, which may be set meanwhile: who sleeps for long looks at it in between. */
  readonly wakeAt?: number;
}

/**
 * What a schedule does now. Every slot is decided once: it fires, or it is skipped with a reason. What passed while
 * nobody looked is one decision: the latest slot fires if it may, the earlier ones are missed.
 */
export function decideSchedule(
  rules: ScheduleRules,
  history: ScheduleHistory,
  now: number,
): ScheduleDecision {
  const anchor = anchorOf(rules, history, now);
  if (rules.suspend) return suspended(rules, history, anchor);
  const due = latestDue(rules, anchor, now);
  const mark = { slot: due?.slot ?? anchor.slot, cron: rules.cron.text };
  const verdict =
    due === undefined && !anchor.creation ? NOTHING : judge(rules, history, { anchor, due, now });
  const next = nextSlot(rules, mark.slot);
  return { ...verdict, mark, ...(next && { next, wakeAt: next.at }) };
}

type Verdict = Pick<ScheduleDecision, "fire" | "replace" | "skip">;

const NOTHING: Verdict = { skip: [], replace: [] };

/** Nothing is decided until it goes on: then the slots in between are skipped at once. */
function suspended(rules: ScheduleRules, history: ScheduleHistory, anchor: Anchor): ScheduleDecision {
  const mark = { slot: anchor.slot, cron: rules.cron.text };
  if (!anchor.creation) return { ...NOTHING, mark };
  const { createdAt } = history;
  return { ...NOTHING, mark, skip: [{ reason: "Suspended", first: createdAt, last: createdAt, count: 1 }] };
}

interface Due {
  readonly anchor: Anchor;
  readonly due: Slot | undefined;
  readonly now: number;
}

function judge(rules: ScheduleRules, history: ScheduleHistory, { anchor, due, now }: Due): Verdict {
  const skipped = (reason: SkipReason, until: number) => skipOf(rules, history, { anchor, until, reason });
  const last = due?.slot ?? anchor.slot;
  if (history.wasSuspended) return { ...NOTHING, skip: skipped("Suspended", last) };
  if (anchor.creation) {
    // Asked for expressly: it is never late, and stands for the slots that have passed since.
    const verdict = begin(rules, history, { slot: history.createdAt, at: history.createdAt });
    return { ...verdict, skip: [...verdict.skip, ...skipped("Missed", last)] };
  }
  if (due === undefined) return NOTHING;
  if (!history.made.has(due.slot) && now - due.at > (rules.startingDeadline ?? Number.POSITIVE_INFINITY)) {
    return { ...NOTHING, skip: skipped("DeadlineExceeded", last) };
  }
  const missed = skipped("Missed", last - 1);
  if (history.made.has(due.slot)) return { ...NOTHING, skip: missed };
  const verdict = begin(rules, history, due);
  return { ...verdict, skip: [...missed, ...verdict.skip] };
}

function begin(rules: ScheduleRules, history: ScheduleHistory, fire: Slot): Verdict {
  if (history.running.length === 0 || rules.concurrency === "Allow") return { ...NOTHING, fire };
  if (rules.concurrency === "Replace") return { fire, skip: [], replace: history.running };
  return {
    ...NOTHING,
    skip: [{ reason: "StillRunning", first: fire.slot, last: fire.slot, count: 1 }],
  };
}

/** The slots after the anchor that nothing was made for, as one. */
function skipOf(
  rules: ScheduleRules,
  history: ScheduleHistory,
  what: { readonly anchor: Anchor; readonly until: number; readonly reason: SkipReason },
): readonly Skip[] {
  const { made } = history;
  const slots = rules.cron
    .slotsBetween(what.anchor.slot, what.until, MOST_COUNTED + made.size + 1)
    .filter((slot) => !made.has(slot));
  const [first] = slots;
  if (first === undefined) return [];
  let last = slots.at(-1) ?? first;
  if (slots.length > MOST_COUNTED) {
    last = rules.cron.previous(what.until + 1) ?? last;
    while (made.has(last)) last = rules.cron.previous(last) ?? first;
  }
  const count = Math.min(slots.length, MOST_COUNTED);
  return [{ reason: what.reason, first, last, count }];
}

/** The latest slot after the anchor whose time has come. Jitter ends before the next slot, so all before it are due too. */
function latestDue(rules: ScheduleRules, anchor: Anchor, now: number): Slot | undefined {
  const first = nextSlot(rules, anchor.slot);
  if (first === undefined || first.at > now) return undefined;
  let slot = rules.cron.previous(now + 1);
  while (slot !== undefined && slot > first.slot) {
    const at = fireTime(rules.cron, slot, { uid: rules.uid, window: rules.jitter });
    if (at <= now) return { slot, at };
    slot = rules.cron.previous(slot);
  }
  return first;
}

function nextSlot(rules: ScheduleRules, after: number): Slot | undefined {
  const slot = rules.cron.next(after);
  if (slot === undefined) return undefined;
  return { slot, at: fireTime(rules.cron, slot, { uid: rules.uid, window: rules.jitter }) };
}
