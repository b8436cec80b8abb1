import type { Keeper } from "../../../core/catalog/keeper_index.ts";
import { runId } from "../../../core/work/run_id.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { SNAPSHOT } from "../backup/snapshot_task.ts";

/** What a Backup of ours stands for in its repository. */
export function keeperOf(backup: Backup): Keeper {
  const { metadata, status } = backup;
  const { name, uid } = metadata;
  // The next attempt may begin, and leave something, before the status tells of it.
  const attempts = (status?.job?.attempts ?? 0) + (status?.phase === "Succeeded" ? 0 : 1);
  return {
    key: keyOf(backup),
    snapshots: (status?.snapshots ?? []).map(({ kopiaSnapshotID: id, identity, runID: run, root }) => ({
      id,
      identity: { username: identity.username, hostname: identity.hostname, path: identity.sourcePath },
      run,
      root,
    })),
    runs: Array.from({ length: attempts }, (_, n) =>
      runId({ owner: { name, uid }, purpose: SNAPSHOT, attempt: n + 1 }),
    ),
  };
}
