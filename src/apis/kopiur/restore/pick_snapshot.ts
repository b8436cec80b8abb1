import { whyPassedOver } from "../../../core/catalog/passed_over.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";

/** Which of an identity's snapshots is meant. */
export interface PointInTime {
  /** The newest snapshot at this time, or before. */
  readonly asOf?: string | undefined;
  /** How many to go back from there. Default 0. */
  readonly offset?: number | undefined;
}

/**
 * The snapshot that is meant, among those of one identity, newest first. One from the future is not taken for the
 * newest: whose clock was wrong is not known.
 */
export function pickSnapshot(
  snapshots: readonly Snapshot[],
  { asOf, offset = 0 }: PointInTime,
  now: number,
): Snapshot | undefined {
  const latest = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  return snapshots
    .filter((one) => Date.parse(one.startedAt) <= latest && whyPassedOver(one, { asOf, now }) === undefined)
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))[offset];
}

/** A snapshot that might have been meant, and why it is not taken unless somebody names it. */
export interface Passed {
  readonly id: string;
  readonly why: string;
}

/** The first of those that `pickSnapshot` passes over for what they are: while there is one, nothing is not "none". */
export function passedOver(
  snapshots: readonly Snapshot[],
  { asOf }: PointInTime,
  now: number,
): Passed | undefined {
  for (const one of snapshots) {
    const late = asOf !== undefined && Date.parse(one.startedAt) > Date.parse(asOf);
    const why = late ? undefined : whyPassedOver(one, { asOf, now });
    if (why !== undefined) return { id: one.id, why };
  }
  return undefined;
}
