import type { PlanSettings } from "../../../core/backup/plan.ts";
import type { Holder } from "../../../core/policy/identity.ts";
import { blocked, type Problem } from "../../../core/reconcile/problem.ts";
import type { ResolvedSource, SnapshotStatus } from "../../../kinds/kopiur/parts.ts";

/** What of a Backup's status can neither be left out nor shortened has this many bytes; the rest is for words. */
export const ESSENTIAL = 11 * 1024;

/** How far the hooks have come, and how a Backup ended that waits for them. */
const HOOKS_MEMORY = 768;

export interface StatusWish {
  readonly sources: readonly ResolvedSource[];
  readonly identity: Holder;
  readonly recipe: PlanSettings;
}

/** Why a Backup of this recipe could not remember all that it must. */
export function roomProblem({ sources, identity, recipe }: StatusWish): Problem | undefined {
  const snapshots = sources.map((source) => longestEntry(identity, source));
  // Where no copies are made, the hooks after the capture run when there are snapshots to remember.
  const hooks = recipe.hooks ? HOOKS_MEMORY : 0;
  const most = bytes(snapshots) + bytes(sources) + bytes(recipe) + hooks;
  if (most <= ESSENTIAL) return undefined;
  return blocked(
    "ConfigTooLarge",
    `A Backup of this BackupConfig would have to remember ${most} bytes about its ${sources.length} claims and its settings, and has room for ${ESSENTIAL}. Divide the claims among several BackupConfigs, or shorten hooks, sourcePathOverride, identity or policy.`,
  );
}

/** What the status says of the snapshot of a source, at its longest. */
function longestEntry({ username, hostname }: Holder, { pvc, sourcePath }: ResolvedSource): SnapshotStatus {
  const id = "x".repeat(64);
  const most = 2 ** 32 - 1;
  return {
    kopiaSnapshotID: id,
    root: id,
    runID: id,
    identity: { username, hostname, sourcePath },
    pvc,
    fidelity: "Degraded",
    unchanged: true,
    owner: { uid: most, gid: most },
  };
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
