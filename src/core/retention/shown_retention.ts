import { planRetention } from "../policy/retention.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { countedBackups, decideRetention, type ObservedRetention, zoneOf } from "./decide_retention.ts";
import { bySource } from "./prune_plan.ts";

/** What retention keeps of a plan's backups, and would delete now: the newest first. */
export interface ShownRetention {
  /** Why nothing is deleted at present. */
  readonly paused?: string;
  readonly kept: readonly {
    readonly backup: string;
    readonly at: number;
    /** By the rules' names. */
    readonly because: readonly string[];
  }[];
  readonly deleted: readonly { readonly backup: string; readonly at: number }[];
}

/** By the same rules as when backups are deleted. */
export function shownRetention<B>(observed: ObservedRetention<B>): ShownRetention {
  const { retention: rules, schedules, now } = observed;
  const successes = countedBackups(observed);
  const because = new Map<string, Set<string>>();
  const shared = { rules, now, ...(rules ? { zone: zoneOf(rules, schedules) } : {}) };
  for (const snapshots of bySource(successes).values()) {
    for (const verdict of planRetention({ snapshots, ...shared })) {
      if (!verdict.kept) continue;
      const reasons = because.get(verdict.id) ?? new Set<string>();
      because.set(verdict.id, new Set([...reasons, ...verdict.by]));
    }
  }
  const paused = rules
    ? decideRetention(observed).status.conditions?.find(({ type }) => type === CONDITIONS.pruningPaused)
    : undefined;
  const newestFirst = successes.toReversed();
  return {
    ...(paused?.status === "True" ? { paused: paused.message } : {}),
    kept: newestFirst.flatMap(({ name, at }) => {
      const reasons = because.get(name);
      return reasons ? [{ backup: name, at, because: [...reasons] }] : [];
    }),
    deleted: newestFirst
      .filter(({ name }) => !because.has(name))
      .map(({ name, at }) => ({ backup: name, at })),
  };
}
