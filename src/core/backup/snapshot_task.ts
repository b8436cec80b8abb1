import type { KubeObject } from "../../kube/object.ts";
import { ok, type Result } from "../../lib/result.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import type { SnapshotSettings, SnapshotSource } from "../../wire/work.ts";
import type { Problem } from "../reconcile/problem.ts";
import type { Mover } from "../repository/mover.ts";
import { type RunContext, type TaskRequest, taskFor } from "../repository/task_for.ts";
import { type Placement, placed } from "../volumes/staging/placement.ts";
import type { StagedVolume } from "../volumes/staging/staging_decision.ts";
import { volumePath } from "../work/mover_volumes.ts";
import type { RunTask, RunVolume } from "../work/run_request.ts";
import type { BackupRequest } from "./backup.ts";
import { captureRequest, mountedClaim } from "./capture_request.ts";
import { type BackupPlan, mayRefer } from "./plan.ts";

export const SNAPSHOT = "snapshot";

/** A backup, and the repository that its snapshots are in. */
export interface BackupContext extends RunContext {
  readonly backup: Pick<BackupRequest, "owner" | "plan">;
  /** What was found where its mover is to run as a workload's pod does. */
  readonly inherited?: TaskRequest<KubeObject>["inherited"];
}

export interface SnapshotContext extends BackupContext {
  readonly backup: Omit<BackupRequest, "failurePolicy" | "tenant" | "hold">;
  /** What was staged, where that is known: it may say where the mover has to run. */
  readonly staged?: readonly StagedVolume[];
  /** Runs whose snapshots it may refer to instead of making the same again. Default: none. */
  readonly named?: readonly string[];
}

/** The run that makes the snapshots. */
export function snapshotTask(context: SnapshotContext): Result<RunTask, Problem> {
  const { backup, named = [] } = context;
  const { owner, plan } = backup;
  const request = captureRequest(owner, plan);
  const staged = request.method !== "Direct";
  const sources = plan.sources.map((source, index) =>
    sourceOf(plan, source, { name: `source-${index}`, claim: mountedClaim(request, source.pvc), staged }),
  );
  const task = taskFor({ ...requestFor(context, SNAPSHOT), runAs: plan.owner }, (mover) => ({
    volumes: sources.map(({ volume }) => volume),
    work: {
      snapshot: {
        ...settingsOf(backup, mover),
        ...(mayRefer(plan) ? { skipIdentical: true, identicalTo: named } : {}),
        sources: sources.map((one) => one.source),
      },
    },
  }));
  if (!task.ok) return task;
  const placements = (context.staged ?? []).flatMap(({ placement }): readonly Placement[] =>
    placement ? [placement] : [],
  );
  const mover = placed(task.value.mover, placements);
  return ok({ ...task.value, mover });
}

/** A run for a backup, on the very repository that it was made with. */
export function requestFor({ backup, ...context }: BackupContext, purpose: string): TaskRequest<KubeObject> {
  const { owner, plan } = backup;
  return {
    ...context,
    owner,
    purpose,
    expectedId: plan.repository.uniqueID,
    mover: plan.settings.mover,
  };
}

/** What cannot record another path than the mounted one gets the volume at the path that is to be recorded. */
function sourceOf(
  { engine, identity }: BackupPlan,
  { pvc, sourcePath }: BackupPlan["sources"][number],
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

function settingsOf(
  { tags, compressor: own, plan }: SnapshotContext["backup"],
  { parallel }: Mover,
): SnapshotSettings {
  const { compression, splitter, ignore, fidelity, unreadableFiles, extraArgs } = plan.settings.policy;
  const compressor = own ?? compression?.compressor;
  const neverCompress = compression?.neverCompress;
  return {
    ...(tags ? { tags } : {}),
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
