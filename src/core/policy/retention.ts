import {
  bucketOf,
  keepsSome,
  RETENTION_RULES,
  type RetentionRule,
  type RetentionRules,
} from "./retention_rules.ts";
import { UTC, type Zone } from "./zone.ts";

/** A snapshot of one identity and source, as retention sees it. */
export interface RetainedSnapshot {
  readonly id: string;
  /** When it was finished. */
  readonly at: number;
  /** `manual`: somebody asked for it. `discovered`: it was found in the repository, and belongs to somebody else. */
  readonly origin: "scheduled" | "manual" | "discovered";
  readonly succeeded: boolean;
  /** Pinned, or held by whoever needs it. */
  readonly held?: boolean;
}

/** Why a snapshot stays, beside the rules: what it is, or that nothing is pruned at all. */
export type Exemption = "manual" | "discovered" | "failed" | "future" | "held" | "newest" | "noRetention";

export type RetentionVerdict =
  | { readonly id: string; readonly kept: true; readonly by: readonly (RetentionRule | Exemption)[] }
  | { readonly id: string; readonly kept: false; readonly why: string };

export interface RetentionRequest {
  readonly snapshots: readonly RetainedSnapshot[];
  /** Without any, or with none above zero, nothing is pruned. */
  readonly rules?: RetentionRules | undefined;
  /** Whose hours, days and weeks count. Default UTC. */
  readonly zone?: Zone;
  readonly now: number;
}

/**
 * Which snapshots stay, and by which rules, and which go, and why; newest first. Each rule goes from the newest to the
 * oldest and keeps the latest of every hour, day, week, month or year in which there is one, until it has kept its number:
 * times without snapshots use nothing up, so that a schedule that stood still does not lose its history.
 *
 * Only what the schedule made takes part. What is held takes its place and stays also beyond it. Whatever the rules say,
 * the newest success stays; so does what claims to be from the future, of which nobody knows how new it is.
 */
export function planRetention(request: RetentionRequest): readonly RetentionVerdict[] {
  const { rules, zone = UTC, now } = request;
  const snapshots = request.snapshots.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  if (rules === undefined || !keepsSome(rules)) {
    return snapshots.map(({ id }) => ({ id, kept: true, by: ["noRetention"] }));
  }
  const tallies = RETENTION_RULES.filter((rule) => (rules[rule] ?? 0) > 0).map(
    (rule) => new Tally(rule, rules[rule] ?? 0, zone),
  );
  let newestSeen = false;
  return snapshots.map((snapshot) => {
    const { id } = snapshot;
    const apart = exemptionOf(snapshot, now);
    if (apart !== undefined) return { id, kept: true, by: [apart] };
    const answers = tallies.map((tally) => tally.take(snapshot.at));
    const by: (RetentionRule | Exemption)[] = tallies
      .filter((_, i) => answers[i] === undefined)
      .map(({ rule }) => rule);
    if (!newestSeen) by.push("newest");
    newestSeen = true;
    if (snapshot.held) by.push("held");
    if (by.length > 0) return { id, kept: true, by };
    return { id, kept: false, why: answers.join("; ") };
  });
}

/** What takes no part in the rules. */
function exemptionOf(snapshot: RetainedSnapshot, now: number): Exemption | undefined {
  if (snapshot.origin !== "scheduled") return snapshot.origin;
  if (!snapshot.succeeded) return "failed";
  return snapshot.at > now ? "future" : undefined;
}

/** One rule on its way from the newest snapshot to the oldest. */
class Tally {
  readonly rule: RetentionRule;
  readonly #most: number;
  readonly #zone: Zone;
  #kept = 0;
  #bucket: string | undefined;

  constructor(rule: RetentionRule, most: number, zone: Zone) {
    this.rule = rule;
    this.#most = most;
    this.#zone = zone;
  }

  /** Why this rule does not keep the snapshot; nothing when it does. */
  take(at: number): string | undefined {
    if (this.rule !== "keepLatest") {
      const bucket = bucketOf(this.rule, at, this.#zone);
      if (bucket === this.#bucket) return `${this.rule} has a later one of ${bucket}`;
      if (this.#kept < this.#most) this.#bucket = bucket;
    }
    if (this.#kept >= this.#most) return `${this.rule} keeps no more than ${this.#most}`;
    this.#kept += 1;
    return undefined;
  }
}
