import { posix } from "node:path";
import type { RunTask } from "../../../core/work/run_request.ts";
import { type Restore, restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { CAPABILITIES } from "../../../wire/capabilities.ts";
import type { Identity } from "../../../wire/identity.ts";
import { POD_LAYOUT } from "../../../wire/pod_layout.ts";
import type { RestoreWork } from "../../../wire/work.ts";
import { edition } from "../editions.ts";
import type { Mover } from "../mover.ts";
import type { Problem } from "../problem.ts";
import { type RepositoryRef, repositoryKey } from "../references.ts";
import { hasOneUser } from "../rules/repository_user.ts";
import { restoreLimits, snapshotLimit } from "../rules/restore_limits.ts";
import { problemOf } from "../rules/violation.ts";
import { snapshotReference } from "../snapshot_reference.ts";
import { type Ground, taskFor } from "../task.ts";
import { ownershipOf } from "./ownership_of.ts";
import type { Pinned } from "./resolution.ts";

export interface RestoreGround extends Ground {
  readonly restore: Restore;
}

/** Which of a Restore's runs it is. */
export interface RunPlace {
  readonly purpose: string;
  /** For its Job and pod. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Where the data goes. */
export interface RestorePlace extends RunPlace {
  /** The name of the claim. */
  readonly claim: string;
  /** The claim was made for this alone: what is in it, an earlier attempt has written. */
  readonly ours: boolean;
  /** No pod but a mover's can have mounted it: what an attempt of this Restore began there is nobody's data. */
  readonly prime: boolean;
  /** Nobody has seen its volume yet, and so no attempt has written: what is in that is somebody's data. */
  readonly unseen?: boolean;
}

/** How many snapshots a mover can report at once. */
const MOST_SNAPSHOTS = 100;
const ASK_DEADLINE = 1800;
const TARGET = "target";
/** Below a folder that the mover may write: kopia looks for a file beside its target, and fails on a read-only root. */
const TARGET_PATH = posix.join(POD_LAYOUT.scratch, TARGET);

/** What a repository is asked for. */
export interface Question {
  readonly repository: RepositoryRef;
  readonly identity: Identity;
}

/** One for each question: once a recipe was edited, the answer to the question before says nothing. */
export function askPurpose(restore: Restore, { repository, identity }: Question): string {
  const { username, hostname, path } = identity;
  const place = repositoryKey(repository, restore.metadata.namespace ?? "");
  return `ask-${fingerprint(JSON.stringify([edition(restore), place, username, hostname, path]))}`;
}

/** One for all edits: what an earlier attempt wrote is in the way of the next one, and no two may write at once. */
export const RESTORE = "restore";

/** The run that asks the repository for an identity's snapshots. */
export function askTask(
  ground: RestoreGround,
  { purpose, labels }: RunPlace,
  { username, hostname, path }: Identity,
): Result<RunTask, Problem> {
  const { mover, source } = ground.restore.spec;
  const request = { ...ground, owner: ownerOf(ground), purpose, mover, deadlineSeconds: ASK_DEADLINE };
  const until = (source.fromConfig ?? source.identity)?.asOf;
  const filter = { username, hostname, path };
  const task = taskFor(request, () => ({
    work: { catalog: { filter, ...(until ? { until } : {}), limit: MOST_SNAPSHOTS } },
  }));
  return labelled(task, labels);
}

function ownerOf({ restore }: RestoreGround) {
  return { resource: restoreResource, object: restore };
}

function labelled(task: Result<RunTask, Problem>, labels: RunPlace["labels"]): Result<RunTask, Problem> {
  return task.ok && labels ? ok({ ...task.value, labels }) : task;
}

/** The run that writes the data. */
export function restoreTask(
  ground: RestoreGround,
  { purpose, labels, claim, ours, prime, unseen = false }: RestorePlace,
  pinned: Pinned,
): Result<RunTask, Problem> {
  const { restore, repository } = ground;
  const { existingFiles } = restore.spec.options;
  const { engine } = repository.spec;
  const limit =
    restoreLimits(restore.spec, engine)[0] ??
    (unseen ? undefined : snapshotLimit(restore.spec, engine, pinned.fidelity));
  if (limit) return err(problemOf(limit));
  const request = {
    ...ground,
    owner: ownerOf(ground),
    purpose,
    expectedId: pinned.repository?.uniqueID,
    mover: restore.spec.mover,
    ...(hasOneUser(repository) ? {} : { runAs: pinned.owner }),
  };
  const task = taskFor(request, (mover) => {
    // The same for all attempts, and for no other Restore's. Whoever has it may empty the volume: between two attempts a
    // workload may have written to one that it can mount.
    const { uid: own } = restore.metadata;
    const wanted = { ...restoreWork(ground, pinned, mover), ...(prime && own ? { own } : {}) };
    const work: RestoreWork = unseen ? { ...wanted, existing: "Refuse" } : wanted;
    // What an attempt has written is in the way of the next one, and nobody else's.
    const again = existingFiles === "Refuse" ? "Overwrite" : existingFiles;
    return {
      work: { restore: work },
      ...(ours && !unseen && work.existing === "Refuse"
        ? { workAgain: { restore: { ...work, existing: again } } }
        : {}),
      volumes: [{ name: TARGET, claim, readOnly: false, mountPath: TARGET_PATH, fresh: ours }],
    };
  });
  return labelled(task, labels);
}

function restoreWork({ restore, repository }: RestoreGround, pinned: Pinned, mover: Mover): RestoreWork {
  const { options } = restore.spec;
  const { atomicRestore } = CAPABILITIES[repository.spec.engine];
  const { snapshotID: id = "", runID: run, root, identity } = pinned;
  return {
    snapshot: snapshotReference({ id, run, root, identity }),
    ...(options.path ? { path: options.path } : {}),
    target: TARGET_PATH,
    existing: options.existingFiles,
    deleteExtra: options.enableFileDeletion,
    sparse: options.sparse,
    atomic: options.writeFilesAtomically && atomicRestore,
    ownership: ownershipOf(options),
    ...(mover.parallel === undefined ? {} : { parallel: mover.parallel }),
  };
}
