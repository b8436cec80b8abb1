import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { type Problem, refused } from "../problem.ts";

/** Which of several volumes is meant. */
export interface VolumeChoice {
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
  { pvc, sourcePath, target, open = false }: VolumeChoice,
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
