import { volumePath } from "../../../core/work/mover_volumes.ts";
import type { RunTask, RunVolume } from "../../../core/work/run_request.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import type { Result } from "../../../lib/result.ts";
import { CAPABILITIES } from "../../../wire/capabilities.ts";
import type { SnapshotSettings, SnapshotSource } from "../../../wire/work.ts";
import type { Mover } from "../mover.ts";
import type { Problem } from "../problem.ts";
import { type Ground, type TaskRequest, taskFor } from "../task.ts";
import type { Frozen } from "./frozen.ts";

export const SNAPSHOT = "snapshot";

/** A Backup, its recipe, and the repository that its snapshots are in. */
export interface BackupGround extends Ground {
  readonly backup: Backup;
  readonly frozen: Frozen;
}

/** The run that makes the snapshots. */
export function snapshotTask(ground: BackupGround): Result<RunTask, Problem> {
  const { backup, frozen } = ground;
  const sources = frozen.sources.map((source, index) => sourceOf(frozen, source, index));
  return taskFor(requestFor(ground, SNAPSHOT), (mover) => ({
    volumes: sources.map(({ volume }) => volume),
    work: { snapshot: { ...settingsOf(backup, frozen, mover), sources: sources.map((one) => one.source) } },
  }));
}

/** A run for a Backup, on the very repository that it was made with. */
export function requestFor(ground: BackupGround, purpose: string): TaskRequest<Backup> {
  const { backup, frozen } = ground;
  return {
    ...ground,
    owner: { resource: backupResource, object: backup },
    purpose,
    expectedId: frozen.repository.uniqueID,
    mover: frozen.recipe.mover,
  };
}

/** What cannot record another path than the mounted one gets the volume at the path that is to be recorded. */
function sourceOf(
  { engine, identity }: Frozen,
  { pvc, sourcePath }: Frozen["sources"][number],
  index: number,
): { readonly volume: RunVolume; readonly source: SnapshotSource } {
  const name = `source-${index}`;
  const free = CAPABILITIES[engine].overridesPath;
  const volume = { name, claim: parseKey(pvc as ObjectKey).name, readOnly: true };
  return {
    volume: free ? volume : { ...volume, mountPath: sourcePath },
    source: {
      name: pvc,
      path: free ? volumePath(name) : sourcePath,
      identity: { ...identity, path: sourcePath },
    },
  };
}

/** What a file system puts there by itself is nobody's data, and only root could read it. */
const ALWAYS_IGNORED = ["/lost+found"];

function settingsOf({ spec }: Backup, { recipe }: Frozen, { parallel }: Mover): SnapshotSettings {
  const { compression, ignore, fidelity, unreadableFiles, extraArgs } = recipe.policy;
  const compressor = spec.parameters?.compressionOverride ?? compression?.compressor;
  const neverCompress = compression?.neverCompress;
  return {
    ...(spec.tags ? { tags: spec.tags } : {}),
    ignore: {
      paths: [...ALWAYS_IGNORED, ...(ignore?.paths ?? [])],
      ...(ignore?.files ? { files: ignore.files } : {}),
      ...(ignore?.cacheDirs ? { cacheDirs: true } : {}),
    },
    ...(compressor || neverCompress
      ? {
          compression: { ...(compressor ? { compressor } : {}), ...(neverCompress ? { neverCompress } : {}) },
        }
      : {}),
    ...(parallel === undefined ? {} : { parallel }),
    ...(ignore?.otherFilesystems ? { oneFileSystem: true } : {}),
    ...(ignore?.ignoreIdenticalSnapshots ? { skipIdentical: true } : {}),
    unreadable: unreadableFiles,
    fidelity,
    ...(extraArgs?.length ? { extraArgs } : {}),
  };
}
