import { type PrunePause, pruneGuard } from "../policy/prune_guard.ts";
import type { Pause } from "./prune_pause.ts";

/** An ended backup of one volume, or of one application, by itself. */
export interface EndedBackup {
  readonly name: string;
  readonly at: number;
  readonly succeeded: boolean;
  readonly bytes?: number | undefined;
  /** Somebody says of it that the source is meant to be as small as it was then. */
  readonly acknowledged: boolean;
}

/** Why the good backups of one source stay, whatever the rules say: it has shrunk, or its backups fail. */
export function volumePause(backups: readonly EndedBackup[]): PrunePause | undefined {
  const accepted = backups.filter(({ acknowledged }) => acknowledged).toSorted((a, b) => b.at - a.at)[0];
  return pruneGuard({
    runs: backups.map(({ name: id, at, succeeded, bytes }) => ({ id, at, succeeded, bytes })),
    acknowledged: { SourceShrank: accepted?.name },
  });
}

/** The same for people. `annotation` acknowledges a source that shrank, on the backup of this `kind` that found it so. */
export function volumePauseText(
  { reason, message, run }: PrunePause,
  { kind, annotation }: { readonly kind: string; readonly annotation: string },
): Pause {
  const way =
    reason === "SourceShrank"
      ? ` To acknowledge it, annotate ${kind} ${run} with ${annotation}: "true".`
      : "";
  return { reason, message: `Retention deletes no good backup: ${message}.${way}` };
}
