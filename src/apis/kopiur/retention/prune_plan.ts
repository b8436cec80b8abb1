import { planRetention, type RetainedSnapshot } from "../../../core/policy/retention.ts";
import type { RetentionRules } from "../../../core/policy/retention_rules.ts";
import type { Zone } from "../../../core/policy/zone.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { Success } from "./history.ts";

export interface PruneRequest {
  readonly successes: readonly Success[];
  readonly rules: RetentionRules;
  readonly zone: Zone;
  readonly now: number;
  /** As if every source had been backed up once more, at this time. */
  readonly next?: number;
}

/** A Backup that no rule keeps, and why. */
export interface Surplus {
  readonly backup: Backup;
  readonly why: string;
}

/**
 * The Backups that go, oldest first. Every source is looked at by itself, and a Backup is kept or goes as a whole: it goes
 * when no source of it is kept.
 */
export function prunePlan({ successes, rules, zone, now, next }: PruneRequest): readonly Surplus[] {
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
    return why === undefined || kept.has(name) ? [] : [{ backup, why: [...why].join("; ") }];
  });
}

/** A Backup's snapshots by what they are of: all are of one identity. */
function bySource(successes: readonly Success[]): ReadonlyMap<string, readonly RetainedSnapshot[]> {
  const sources = new Map<string, RetainedSnapshot[]>();
  for (const { name, at, origin, held, snapshots } of successes) {
    for (const { identity } of snapshots) {
      const entries = sources.get(identity.sourcePath) ?? [];
      entries.push({ id: name, at, origin, held, succeeded: true });
      sources.set(identity.sourcePath, entries);
    }
  }
  return sources;
}
