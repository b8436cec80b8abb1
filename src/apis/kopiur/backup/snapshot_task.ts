import { type Placement, placed } from "../../../core/volumes/staging/placement.ts";
import type { StagedVolume } from "../../../core/volumes/staging/staging_decision.ts";
import { volumePath } from "../../../core/work/mover_volumes.ts";
import type { RunTask, RunVolume } from "../../../core/work/run_request.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { ok, type Result } from "../../../lib/result.ts";
import { CAPABILITIES } from "../../../wire/capabilities.ts";
import type { SnapshotSettings, SnapshotSource } from "../../../wire/work.ts";
import type { Mover } from "../mover.ts";
import type { Problem } from "../problem.ts";
import { type Ground, type TaskRequest, taskFor } from "../task.ts";
import { type Frozen, mayRefer } from "./frozen.ts";
import { mountedClaim, stagingRequest } from "./staging_request.ts";

export const SNAPSHOT = "snapshot";

/** A Backup, its recipe, and the repository that its snapshots are in. */
export interface BackupGround extends Ground {
  readonly backup: Backup;
  readonly frozen: Frozen;
  /** What was found where its mover is to run as a workload's pod does. */
  readonly inherited?: TaskRequest<Backup>["inherited"];
}

export interface SnapshotGround extends BackupGround {
  /** What was staged, where that is known: it may say where the mover has to run. */
  readonly staged?: readonly StagedVolume[];
  /** Runs whose snapshots it may refer to instead of making the same again. Default: none. */
  readonly named?: readonly string[];
}

/** The run that makes the snapshots. */
export function snapshotTask(ground: SnapshotGround): Result<RunTask, Problem> {
  const { backup, frozen, named = [] } = ground;
  const request = stagingRequest(backup, frozen);
  const staged = request.method !== "Direct";
  const sources = frozen.sources.map((source, index) =>
    sourceOf(frozen, source, { name: `source-${index}`, claim: mountedClaim(request, source.pvc), staged }),
  );
  const task = taskFor({ ...requestFor(ground, SNAPSHOT), runAs: frozen.owner }, (mover) => ({
    volumes: sources.map(({ volume }) => volume),
    work: {
      snapshot: {
        ...settingsOf(backup, frozen, mover),
        ...(mayRefer(frozen) ? { skipIdentical: true, identicalTo: named } : {}),
        sources: sources.map((one) => one.source),
      },
    },
  }));
  if (!task.ok) return task;
  const placements = (ground.staged ?? []).flatMap(({ placement }): readonly Placement[] =>
    placement ? [placement] : [],
  );
  const mover = placed(task.value.mover, placements);
  return ok({ ...task.value, mover });
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
  { staged, ...mounted }: Pick<RunVolume, "name" | "claim"> & { readonly staged: boolean },
): { readonly volume: RunVolume; readonly source: SnapshotSource } {
  const free = CAPABILITIES[engine].overridesPath;
  const volume = { ...mounted, readOnly: true };
  return {
    volume: free ? volume : { ...volume, mountPath: sourcePath },
    source: {
      name: pvc,
      path: free ? volumePath(mounted.name) : sourcePath,
      identity: { ...identity, path: sourcePath },
      ...(staged ? { staged: true } : {}),
    },
  };
}

/** What a file system puts there by itself is nobody's data, and only root could read it. */
const ALWAYS_IGNORED = ["/lost+found"];

function settingsOf({ spec }: Backup, { recipe }: Frozen, { parallel }: Mover): SnapshotSettings {
  const { compression, splitter, ignore, fidelity, unreadableFiles, extraArgs } = recipe.policy;
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
    ...(splitter ? { splitter } : {}),
    ...(parallel === undefined ? {} : { parallel }),
    ...(ignore?.otherFilesystems ? { oneFileSystem: true } : {}),
    unreadable: unreadableFiles,
    ...(fidelity ? { fidelity } : {}),
    ...(extraArgs?.length ? { extraArgs } : {}),
  };
}
