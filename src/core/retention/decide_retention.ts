import { mergeConditions } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { parseZone, UTC, type Zone } from "../policy/zone.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { problemOf } from "../reconcile/violation.ts";
import { cronViolations } from "../schedule/cron_violations.ts";
import type { Schedule } from "../schedule/schedule_object.ts";
import type { BackupHistory, SuccessfulBackup } from "./history.ts";
import { acceptedBackup, type Pause, prunePause } from "./prune_pause.ts";
import { prunePlan, type Surplus } from "./prune_plan.ts";
import {
  type RetentionOwner,
  type RetentionSettings,
  type RetentionState,
  withPast,
} from "./retention_state.ts";

export interface ObservedRetention<B = unknown> {
  readonly owner: RetentionOwner;
  /** Absent: everything stays. */
  readonly retention?: RetentionSettings | undefined;
  readonly history: BackupHistory<B>;
  /** Why it is not certain where the snapshots are, or which; then nothing goes. `isTold`: the owner says so already. */
  readonly doubt?: (Pause & { readonly isTold?: boolean }) | undefined;
  /** Those that have the backups made. */
  readonly schedules: readonly Pick<Schedule, "spec" | "status">[];
  readonly now: number;
}

export interface RetentionDecision<B = unknown> {
  /** What goes now, oldest first. */
  readonly prune: readonly B[];
  /** The whole status, written after what goes has gone. */
  readonly status: RetentionState;
  readonly events: readonly EventNote[];
  readonly wakeAt: number;
}

/** More than these wait for the next look, which comes at once. */
export const MOST_AT_ONCE = 20;
/** As many are shown of what would go next. */
const MOST_SHOWN = 8;
const LONGEST_WHY = 256;
/** Until it is looked at again, though nothing tells of a change, in milliseconds. */
export const PERIOD = 3_600_000;

/** What of the backups goes, what would go next, and why nothing may. */
export function decideRetention<B>(observed: ObservedRetention<B>): RetentionDecision<B> {
  const { owner, retention, history, schedules, doubt, now } = observed;
  const counted = Math.max(0, ...schedules.map(({ status }) => status?.consecutiveFailures ?? 0));
  const past = withPast({ status: owner.status, history, counted, now });
  if (!retention) return { prune: [], status: withoutRetention(past), events: [], wakeAt: now + PERIOD };
  const pause = doubt ?? unknownZone(retention) ?? prunePause({ owner, retention, history, counted });
  const view = viewOf(observed, retention);
  const prune = pause ? [] : view.surplus.slice(0, MOST_AT_ONCE).map(({ backup }) => backup);
  const shown = pause ? view.surplus : view.next;
  const { lastPruneAt, lastPruneDeleted } = owner.status?.retention ?? {};
  return {
    prune,
    status: {
      ...past,
      retention: {
        activeBackupCount: view.active,
        ...(lastPruneAt === undefined ? {} : { lastPruneAt }),
        ...(lastPruneDeleted === undefined ? {} : { lastPruneDeleted }),
        ...(pause ? { pausedReason: pause.reason } : {}),
        ...(shown.length > 0 ? { next: shown.slice(0, MOST_SHOWN).map(shownAs) } : {}),
      },
      conditions: conditionsAfter(owner, pause, now),
    },
    events: doubt?.isTold ? [] : newsOf(owner, pause),
    wakeAt: view.surplus.length > prune.length && !pause ? now : now + PERIOD,
  };
}

/** Nothing is pruned by other days than those that were meant. */
function unknownZone({ timezone = "UTC" }: RetentionSettings): Pause | undefined {
  const [wrong] = cronViolations([], timezone, "");
  return wrong && problemOf(wrong);
}

function viewOf<B>(observed: ObservedRetention<B>, rules: RetentionSettings) {
  const { schedules, now } = observed;
  const successes = countedBackups(observed);
  const request = { successes, rules, zone: zoneOf(rules, schedules), now };
  const surplus = prunePlan(request);
  const going = new Set(surplus.map(({ backup }) => backup));
  const next = prunePlan({ ...request, next: nextRun(schedules, now) });
  const scheduled = successes.filter(({ origin }) => origin === "scheduled").length;
  return {
    surplus,
    next: next.filter(({ backup }) => !going.has(backup)),
    active: scheduled - surplus.length,
  };
}

/** The successes that rules count, oldest first: the one that somebody accepted as it is stays. */
export function countedBackups<B>({
  owner,
  history,
}: Pick<ObservedRetention<B>, "owner" | "history">): readonly SuccessfulBackup<B>[] {
  const accepted = acceptedBackup(owner);
  return history.successes
    .map((one): SuccessfulBackup<B> => (one.name === accepted ? { ...one, held: true } : one))
    .toSorted((a, b) => a.at - b.at);
}

/** The zone that is named, or that of the schedules, where they agree on one. */
export function zoneOf({ timezone }: RetentionSettings, schedules: ObservedRetention["schedules"]): Zone {
  const named = timezone === undefined ? schedules.map(({ spec }) => spec.schedule.timezone) : [timezone];
  const [name = "UTC", ...others] = new Set(named);
  const zone = others.length === 0 ? parseZone(name) : undefined;
  return zone?.ok ? zone.value : UTC;
}

function nextRun(schedules: ObservedRetention["schedules"], now: number): number {
  const times = schedules.map(({ status }) => Date.parse(status?.nextSchedule?.at ?? ""));
  const later = times.filter((time) => time > now);
  return later.length > 0 ? Math.min(...later) : now;
}

function shownAs({ name, why }: Surplus<unknown>) {
  return { backup: name, reason: why.slice(0, LONGEST_WHY) };
}

function conditionsAfter({ metadata, status }: RetentionOwner, pause: Pause | undefined, now: number) {
  const { generation } = metadata;
  const type = CONDITIONS.pruningPaused;
  const said = pause
    ? ({ status: "True", reason: pause.reason, message: pause.message } as const)
    : ({ status: "False", reason: "Pruning", message: "Backups that no rule keeps are deleted." } as const);
  const wanted = { type, ...said, ...(generation === undefined ? {} : { observedGeneration: generation }) };
  return mergeConditions(status?.conditions ?? [], [wanted], now);
}

/** Told when it begins and when its cause changes. */
function newsOf({ status }: RetentionOwner, pause: Pause | undefined): readonly EventNote[] {
  if (!pause) return [];
  const before = status?.conditions?.find(({ type }) => type === CONDITIONS.pruningPaused);
  if (before?.status === "True" && before.reason === pause.reason && before.message === pause.message)
    return [];
  const { reason, message } = pause;
  return [{ type: "Warning", reason, message }];
}

/** Where nothing is pruned, the status says nothing of it. */
export function withoutRetention({ retention: _, ...status }: RetentionState): RetentionState {
  const { conditions } = status;
  if (!conditions) return status;
  return { ...status, conditions: conditions.filter(({ type }) => type !== CONDITIONS.pruningPaused) };
}
