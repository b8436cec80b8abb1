import type { Problem } from "../reconcile/problem.ts";
import { recordsOf } from "../reconcile/records.ts";
import { isStillToCome, retryDelay } from "../work/retry.ts";

/** Where the status keeps it, beside the records of runs. */
export const STAGING = "staging";

/** What has to be remembered between two looks at a backup: while it is there, volumes may be staged for it. */
export interface StagingMemory {
  /** Fingerprint of the object. Another one begins anew what was given up. */
  readonly edition: string;
  /** ISO 8601. When the current try began. */
  readonly since?: string;
  /** Tries that were given up. */
  readonly failures: number;
  /** Why the last one was, until the next one begins. */
  readonly refusal?: Problem;
  /** ISO 8601. The next try does not begin before this. */
  readonly notBefore?: string;
}

/** It was written here, so its shape is not checked again. */
export function memoryOf(status: object | undefined): StagingMemory | undefined {
  return recordsOf(status)[STAGING] as StagingMemory | undefined;
}

/** The memory of a try that is under way, or begins now. */
export function trying(memory: StagingMemory | undefined, edition: string, now: number): StagingMemory {
  const same = memory?.edition === edition;
  return {
    edition,
    since: memory?.since ?? new Date(now).toISOString(),
    failures: same ? memory.failures : 0,
  };
}

/** Whether a try was given up and the next one has still to wait. */
export function isWaiting(memory: StagingMemory, edition: string, now: number): boolean {
  return memory.edition === edition && isStillToCome(memory.notBefore, now);
}

/** Whether a try is under way: what it has captured is worth having, whatever becomes of the volumes since. */
export function isTrying(memory: StagingMemory | undefined): boolean {
  return memory?.since !== undefined;
}

export interface GivenUp {
  readonly refusal: Problem;
  /** Tells different backups apart, so that they do not begin again all at once. */
  readonly name: string;
  /** Tries after the first, where it may heal by itself. */
  readonly backoffLimit: number;
  readonly now: number;
}

/** The memory after a try; without `notBefore` where there is no other one. */
export function gaveUp(memory: StagingMemory, { refusal, name, backoffLimit, now }: GivenUp): StagingMemory {
  const failures = memory.failures + 1;
  const { class: retry, reason, message } = refusal;
  const exhausted = retry === "transient" && failures > backoffLimit;
  const delay = exhausted ? undefined : retryDelay({ retry, failures, run: name });
  return {
    edition: memory.edition,
    failures,
    refusal: { class: retry, reason, message },
    ...(delay === undefined ? {} : { notBefore: new Date(now + delay).toISOString() }),
  };
}
