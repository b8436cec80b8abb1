import { posix } from "node:path";
import type { RunTask } from "../../../core/work/run_request.ts";
import { type Restore, restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { err, type Result } from "../../../lib/result.ts";
import { CAPABILITIES } from "../../../wire/capabilities.ts";
import type { Identity } from "../../../wire/identity.ts";
import { POD_LAYOUT } from "../../../wire/pod_layout.ts";
import type { RestoreWork } from "../../../wire/work.ts";
import { edition } from "../editions.ts";
import type { Mover } from "../mover.ts";
import { type Problem, refused } from "../problem.ts";
import { type Ground, taskFor } from "../task.ts";
import { type Pinned, targetName } from "./resolution.ts";

export interface RestoreGround extends Ground {
  readonly restore: Restore;
}

/** How many snapshots a mover can report at once. */
const MOST_SNAPSHOTS = 100;
const ASK_DEADLINE = 1800;
const TARGET = "target";
/** Below a folder that the mover may write: kopia looks for a file beside its target, and fails on a read-only root. */
const TARGET_PATH = posix.join(POD_LAYOUT.scratch, TARGET);

export function askPurpose(restore: Restore): string {
  return `ask-${edition(restore)}`;
}

/** One for all edits: what an earlier attempt wrote is in the way of the next one, and no two may write at once. */
export const RESTORE = "restore";

/** The run that asks the repository for an identity's snapshots. */
export function askTask(
  ground: RestoreGround,
  { username, hostname, path }: Identity,
): Result<RunTask, Problem> {
  const { restore } = ground;
  const owner = { resource: restoreResource, object: restore };
  const purpose = askPurpose(restore);
  const request = { ...ground, owner, purpose, mover: restore.spec.mover, deadlineSeconds: ASK_DEADLINE };
  return taskFor(request, () => ({
    work: { catalog: { filter: { username, hostname, path }, limit: MOST_SNAPSHOTS } },
  }));
}

/** The run that writes the data. */
export function restoreTask(ground: RestoreGround, pinned: Pinned): Result<RunTask, Problem> {
  const { restore, repository } = ground;
  const { existingFiles } = restore.spec.options;
  const { engine } = repository.spec;
  const can = CAPABILITIES[engine].existing;
  if (!can.includes(existingFiles)) {
    return err(
      refused(
        "Unsupported",
        `${engine} cannot do existingFiles: ${existingFiles}. Choose one of ${can.join(", ")}.`,
      ),
    );
  }
  const request = {
    ...ground,
    owner: { resource: restoreResource, object: restore },
    purpose: RESTORE,
    expectedId: pinned.repository?.uniqueID,
    mover: restore.spec.mover,
    runAs: pinned.owner,
  };
  return taskFor(request, (mover) => {
    const work = restoreWork(ground, pinned, mover);
    return {
      work: { restore: work },
      // What an attempt has written is in the way of the next one, and nobody else's: the claim was made for this.
      ...(existingFiles === "Refuse" ? { workAgain: { restore: { ...work, existing: "Overwrite" } } } : {}),
      volumes: [{ name: TARGET, claim: targetName(restore) ?? "", readOnly: false, mountPath: TARGET_PATH }],
    };
  });
}

function restoreWork({ restore, repository }: RestoreGround, pinned: Pinned, mover: Mover): RestoreWork {
  const { options } = restore.spec;
  const { atomicRestore } = CAPABILITIES[repository.spec.engine];
  const { snapshotID: id = "", runID: run, root } = pinned;
  return {
    snapshot: { id, ...(run ? { run } : {}), ...(root ? { root } : {}) },
    ...(options.path ? { path: options.path } : {}),
    target: TARGET_PATH,
    existing: options.existingFiles,
    deleteExtra: options.enableFileDeletion,
    sparse: options.sparse,
    atomic: options.writeFilesAtomically && atomicRestore,
    ownership: options.ownership ?? (options.ignorePermissionErrors ? "BestEffort" : "Exact"),
    ...(mover.parallel === undefined ? {} : { parallel: mover.parallel }),
  };
}
