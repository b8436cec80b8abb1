import type { ErrorClass } from "../../../wire/error_classes.ts";

/** What is known of a repository's storage from the runs that met it. */
export interface Evidence {
  /** When it was last used with success, in milliseconds since 1970. */
  readonly goodAt?: number;
  /** Of each task whose last attempt could not use it: when, why, and how many attempts in a row. */
  readonly setbacks: readonly Setback[];
  /** When a run last met damaged data in it. */
  readonly damagedAt?: number;
}

export interface Setback {
  readonly at: number;
  readonly failure: ErrorClass;
  readonly count: number;
}

export type BreakerState = "Closed" | "Open" | "HalfOpen";

/** As the repository's status has it. */
export interface Breaker {
  readonly state: BreakerState;
  readonly consecutiveFailures: number;
  readonly errorClass?: string;
  /** ISO 8601. Since when work waits. */
  readonly openedAt?: string;
  /** ISO 8601. */
  readonly nextProbeAt?: string;
}

export interface BreakerQuestion {
  readonly evidence: Evidence;
  /** As it was last written; absent at first. */
  readonly before?: Breaker | undefined;
  readonly now: number;
}

/** So many failures in a row are no accident. */
const TOO_MANY = 3;
/** Failures that lie further back say nothing of now, in milliseconds. */
const MEMORY = 3_600_000;
const FIRST_PROBE = 30_000;
const LONGEST_PROBE = 900_000;

/**
 * Whether work waits because the storage fails. Open from the third failure in a row until a run succeeds. Meanwhile
 * one run at a time may look: half a minute after the last failure, later ones after twice as long each time, and at
 * least every quarter of an hour. Pure: what it knows is in objects, so it is the same after a restart.
 */
export function decideBreaker({ evidence, before, now }: BreakerQuestion): Breaker {
  const { goodAt = Number.NEGATIVE_INFINITY } = evidence;
  const recent = evidence.setbacks.filter(({ at }) => at > goodAt && at > now - MEMORY);
  const seen = recent.reduce((sum, { count }) => sum + count, 0);
  const openedAt = before?.openedAt === undefined ? undefined : Date.parse(before.openedAt);
  // Until a run has succeeded it stays open, also when those who failed are deleted.
  const stays = openedAt !== undefined && before?.state !== "Closed" && goodAt <= openedAt;
  if (!stays && seen < TOO_MANY) return { state: "Closed", consecutiveFailures: seen };
  const newest = recent.toSorted((a, b) => b.at - a.at)[0];
  const consecutiveFailures = Math.max(seen, stays ? (before?.consecutiveFailures ?? 0) : 0, TOO_MANY);
  const errorClass = newest?.failure ?? before?.errorClass;
  const due = newest
    ? newest.at + probeDelay(consecutiveFailures)
    : Date.parse(before?.nextProbeAt ?? new Date(now).toISOString());
  // A clock that was set back must not make it wait for longer than that.
  const nextProbeAt = Math.min(due, now + LONGEST_PROBE);
  return {
    state: now >= nextProbeAt ? "HalfOpen" : "Open",
    consecutiveFailures,
    ...(errorClass === undefined ? {} : { errorClass }),
    openedAt: new Date(stays ? (openedAt ?? now) : now).toISOString(),
    nextProbeAt: new Date(nextProbeAt).toISOString(),
  };
}

function probeDelay(failures: number): number {
  return Math.min(LONGEST_PROBE, FIRST_PROBE * 2 ** Math.min(10, failures - TOO_MANY));
}
