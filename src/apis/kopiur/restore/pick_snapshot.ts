import { whyPassedOver } from "../../../core/catalog/passed_over.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import { type Problem, refused } from "../problem.ts";

/** Which of several volumes is meant. */
export interface Pick {
  /** The claim that was backed up, as name or namespace/name. */
  readonly pvc?: string | undefined;
  readonly sourcePath?: string | undefined;
  /** The claim that is restored into: it stands for its namesake when nothing else is said. */
  readonly target?: string | undefined;
  /** There may be others that nobody has seen yet: the only one need not be the one that is meant. */
  readonly open?: boolean;
}

/** The volume among those of a Backup or a recipe that is meant. */
export function pickVolume<V extends { readonly pvc?: string; readonly path: string }>(
  volumes: readonly V[],
  { pvc, sourcePath, target, open = false }: Pick,
): Result<V, Problem> {
  const [first, ...others] = volumes;
  const unsaid = pvc === undefined && sourcePath === undefined;
  if (first && others.length === 0 && unsaid && !open) return ok(first);
  const wanted = pvc ?? (sourcePath === undefined ? target : undefined);
  const found = volumes.filter(
    (one) =>
      (wanted === undefined || isClaim(one.pvc, wanted)) &&
      (sourcePath === undefined || one.path === sourcePath),
  );
  const [match, ...more] = found;
  if (match && more.length === 0) return ok(match);
  const known = volumeNames(volumes);
  if (!match && !unsaid) {
    const message = `No volume is known as ${[pvc, sourcePath].filter(Boolean).join(", ")}: there are ${known}. Correct pvc or sourcePath in source; or name what the repository holds with source.identity, or a Backup of it with source.backupRef.`;
    return err(refused("VolumeUnknown", message));
  }
  return err(
    refused(
      "VolumeAmbiguous",
      `Which volume is meant is not clear: there are ${known}. Name one in source with pvc or sourcePath.`,
    ),
  );
}

/** Volumes in a sentence, each with all that it can be named by. */
export function volumeNames(volumes: readonly { readonly pvc?: string; readonly path: string }[]): string {
  return volumes.map(({ pvc = "?", path }) => `${pvc} (${path})`).join(", ") || "none";
}

function isClaim(claim: string | undefined, wanted: string): boolean {
  return claim === wanted || (!wanted.includes("/") && claim?.split("/")[1] === wanted);
}

/** The entries of a Backup's status, as volumes. */
export function volumesOf(entries: readonly SnapshotStatus[]) {
  return entries.map((entry) => ({
    ...(entry.pvc ? { pvc: entry.pvc } : {}),
    path: entry.identity.sourcePath,
    entry,
  }));
}

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
