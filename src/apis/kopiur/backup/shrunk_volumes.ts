import { PRUNE_GUARD, type Smaller, shrunkRuns } from "../../../core/policy/prune_guard.ts";
import { acceptedBackup } from "../../../core/retention/prune_pause.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";

/** How Backups of one BackupConfig found volumes far smaller than those before: by the Backup's UID, and the PVC. */
export type ShrunkVolumes = ReadonlyMap<string, ReadonlyMap<string, Smaller>>;

/** By the rule that retention and restores go by. */
export function shrunkVolumes(config: BackupConfig, backups: readonly Backup[]): ShrunkVolumes {
  const { maxShrinkPercent = DEFAULT_SHRINK } = config.spec.retention ?? {};
  const settings = { ...PRUNE_GUARD, smallestShare: 1 - maxShrinkPercent / 100 };
  const accepted = backups.find(({ metadata }) => metadata.name === acceptedBackup(config))?.metadata.uid;
  const shrunk = new Map<string, Map<string, Smaller>>();
  for (const [pvc, runs] of runsByVolume(backups)) {
    for (const [uid, smaller] of shrunkRuns(runs, accepted, settings)) {
      const volumes = shrunk.get(uid) ?? new Map<string, Smaller>();
      shrunk.set(uid, volumes.set(pvc, smaller));
    }
  }
  return shrunk;
}

/** Where nothing is pruned, and so nobody has said more. */
const DEFAULT_SHRINK = 50;

type Run = Parameters<typeof shrunkRuns>[0][number];

function runsByVolume(backups: readonly Backup[]): ReadonlyMap<string, readonly Run[]> {
  const runs = new Map<string, Run[]>();
  for (const { metadata, status } of backups) {
    const { snapshots = [], stats, timing } = status ?? {};
    const at = Date.parse(timing?.startTime ?? metadata.creationTimestamp);
    const files = snapshots.length === 1 ? stats?.files : undefined;
    for (const { pvc, sizeBytes: bytes, incomplete } of isKnown(status?.phase) ? snapshots : []) {
      if (pvc === undefined || incomplete !== undefined) continue;
      const run = { id: metadata.uid, at, bytes, files };
      const known = runs.get(pvc);
      if (known) known.push(run);
      else runs.set(pvc, [run]);
    }
  }
  return runs;
}

/** One that is being deleted still tells how large its volume was. */
function isKnown(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Deleting";
}
