import type { Smaller } from "../policy/prune_guard.ts";

/** A clock may be ahead by so many milliseconds. What is from further in the future is not the newest: nobody knows when it was. */
export const AHEAD = 300_000;

/** Tag of a snapshot that was made before a restore overwrote its source. It holds what somebody wanted to be rid of. */
export const SAFETY_TAG = "before-restore";

/** A snapshot, as far as it shows whether it is taken when nobody names it. */
export interface Candidate {
  readonly startedAt: string;
  /** Why it does not hold all of its source. */
  readonly incomplete?: string | undefined;
  /** How it is far smaller than those before it, where somebody has looked. */
  readonly shrunk?: Smaller | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/**
 * Why a snapshot is not taken unless somebody names it; undefined where it may be. Whoever asks for a time means what
 * is of that time, also where that has not come yet.
 */
export function whyPassedOver(
  { startedAt, incomplete, shrunk, tags }: Candidate,
  { asOf, now }: { readonly asOf?: string | undefined; readonly now: number },
): string | undefined {
  if (incomplete !== undefined) return `it is incomplete: ${incomplete}`;
  if (tags?.[SAFETY_TAG] !== undefined) return "it was made before a restore, of what that overwrote";
  if (shrunk) return shrunkText(shrunk);
  if (asOf === undefined && !(Date.parse(startedAt) <= now + AHEAD))
    return `it is from the future (${startedAt}), so that somebody's clock is wrong`;
  return undefined;
}

/** That a snapshot is far smaller than those before it. */
export function shrunkText({ size, measure, usual }: Smaller): string {
  return `the source had shrunk to ${size} ${measure}, from ${usual} before`;
}
