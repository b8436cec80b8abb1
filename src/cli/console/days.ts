import type { SnapshotView } from "../../core/view/view.ts";
import type { Day } from "./contract.ts";

const DAY = 86_400_000;

export interface DaysRequest {
  readonly snapshots: readonly SnapshotView[];
  /** When runs failed. */
  readonly failures: readonly string[];
  readonly now: number;
  readonly count: number;
  /** Leaves out days on which nothing happened. */
  readonly sparse?: boolean;
}

/** Days in UTC, the oldest first: what was backed up on each, and how much there was at its end. */
export function daysOf({ snapshots, failures, now, count, sparse = false }: DaysRequest): readonly Day[] {
  const oldestFirst = snapshots
    .map((snapshot) => [Date.parse(snapshot.at), snapshot] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, snapshot]) => snapshot);
  const byDay = Map.groupBy(oldestFirst, ({ at }) => dayOf(at));
  const failed = Map.groupBy(failures, dayOf);
  const first = dayAt(now - (count - 1) * DAY);
  const held = new Map<string, number>();
  const keep = (snapshot: SnapshotView) => {
    if (isGood(snapshot) && snapshot.bytes !== undefined) held.set(snapshot.claim, snapshot.bytes);
  };
  for (const snapshot of oldestFirst) if (dayOf(snapshot.at) < first) keep(snapshot);
  const days = Array.from({ length: count }, (_, i): Day => {
    const day = dayAt(now - (count - 1 - i) * DAY);
    const made = byDay.get(day) ?? [];
    for (const snapshot of made) keep(snapshot);
    const good = made.filter(isGood).length;
    const bytes = held.size > 0 ? [...held.values()].reduce((sum, one) => sum + one, 0) : undefined;
    return { day, good, incomplete: made.length - good, failed: failed.get(day)?.length ?? 0, bytes };
  });
  return sparse ? days.filter(({ good, incomplete, failed }) => good + incomplete + failed > 0) : days;
}

export function isGood({ incomplete, doubt }: SnapshotView): boolean {
  return incomplete === undefined && doubt === undefined;
}

export function dayOf(at: string): string {
  // Kubernetes writes its times in UTC; others may not.
  return at.endsWith("Z") ? at.slice(0, 10) : dayAt(Date.parse(at));
}

function dayAt(time: number): string {
  return Number.isNaN(time) ? "" : new Date(time).toISOString().slice(0, 10);
}
