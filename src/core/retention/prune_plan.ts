import { planRetention, type RetainedSnapshot } from "../policy/retention.ts";
import type { RetentionRules } from "../policy/retention_rules.ts";
import type { Zone } from "../policy/zone.ts";
import type { SuccessfulBackup } from "./history.ts";

export interface PruneRequest<B> {
  /** Oldest first. */
  readonly successes: readonly SuccessfulBackup<B>[];
  readonly rules: RetentionRules;
  readonly zone: Zone;
  readonly now: number;
  /** As if every source had been backed up once more, at this time. */
  readonly next?: number;
}

/** A backup that no rule keeps, and why. */
export interface Surplus<B> {
  readonly name: string;
  readonly backup: B;
  readonly why: string;
}

/**
 * The backups that go, oldest first. Every source is looked at by itself, and a backup is kept or goes as a whole: it goes
 * when no source of it is kept.
 */
export function prunePlan<B>({ successes, rules, zone, now, next }: PruneRequest<B>): readonly Surplus<B>[] {
  const reasons = new Map<string, Set<string>>();
  const kept = new Set<string>();
  for (const snapshots of bySource(successes).values()) {
    const made: readonly RetainedSnapshot[] =
      next === undefined ? [] : [{ id: "", at: next, origin: "scheduled", succeeded: true }];
    const request = { snapshots: [...snapshots, ...made], rules, zone, now: Math.max(now, next ?? now) };
    for (const verdict of planRetention(request)) {
      if (verdict.kept) kept.add(verdict.id);
      else reasons.set(verdict.id, (reasons.get(verdict.id) ?? new Set()).add(verdict.why));
    }
  }
  return successes.flatMap(({ name, backup }) => {
    const why = reasons.get(name);
    return why === undefined || kept.has(name) ? [] : [{ name, backup, why: [...why].join("; ") }];
  });
}

/** A backup's snapshots by what they are of: all are of one identity. */
export function bySource(
  successes: readonly SuccessfulBackup[],
): ReadonlyMap<string, readonly RetainedSnapshot[]> {
  const sources = new Map<string, RetainedSnapshot[]>();
  for (const { name, at, origin, held, snapshots } of successes) {
    for (const { path } of snapshots) {
      const entries = sources.get(path) ?? [];
      entries.push({ id: name, at, origin, held, succeeded: true });
      sources.set(path, entries);
    }
  }
  return sources;
}
