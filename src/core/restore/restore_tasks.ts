import { posix } from "node:path";
import { err, ok, type Result } from "../../lib/result.ts";
import { CAPABILITIES } from "../../wire/capabilities.ts";
import { POD_LAYOUT } from "../../wire/pod_layout.ts";
import type { RestoreWork } from "../../wire/work.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import { type Problem, waits } from "../reconcile/problem.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { problemOf } from "../reconcile/violation.ts";
import { type Inherited, planInheriting } from "../repository/inherited_from.ts";
import type { Mover } from "../repository/mover.ts";
import { gateOf } from "../repository/plan_task.ts";
import { hasOneUser } from "../repository/repository_user.ts";
import type { SlotQuestion } from "../repository/slot.ts";
import { type RunContext, taskFor } from "../repository/task_for.ts";
import type { RunPolicy } from "../work/run_policy.ts";
import type { RunTask } from "../work/run_request.ts";
import type { Ask } from "./resolution.ts";
import { ownershipOf, type Pinned, type RepositoryRef, type Restore, type RestoreApi } from "./restore.ts";
import type { KnownRestore, RestorePorts } from "./restore_ports.ts";
import { relativePath } from "./restored_path.ts";

export interface RestoreContext extends RunContext {
  readonly restore: Restore;
  readonly api: RestoreApi;
  /** What was found where its movers are to run as a workload's pod does. */
  readonly inherited?: Inherited;
}

/** Which of a restore's runs it is. */
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
  /** No pod but a mover's can have mounted it: what an attempt of this restore began there is nobody's data. */
  readonly prime: boolean;
  /** Nobody has seen its volume yet, and so no attempt has written: what is in that is somebody's data. */
  readonly unseen?: boolean;
}

/** How many snapshots a mover can report at once. */
const MOST_SNAPSHOTS = 100;
const ASK_DEADLINE = 1800;
const TARGET = "target";
/** Below a folder that the mover may write: an engine may look for a file beside its target, and fail on a read-only root. */
const TARGET_PATH = posix.join(POD_LAYOUT.scratch, TARGET);

/** One for all edits: what an earlier attempt wrote is in the way of the next one, and no two may write at once. */
export const RESTORE = "restore";

/** The run that asks the repository for an identity's snapshots. */
export function askTask(
  context: RestoreContext,
  { purpose, labels }: RunPlace,
  { identity, point }: Pick<Ask, "identity" | "point">,
): Result<RunTask, Problem> {
  const { mover } = context.restore.spec;
  const request = { ...context, owner: ownerOf(context), purpose, mover, deadlineSeconds: ASK_DEADLINE };
  const { asOf: until } = point;
  const task = taskFor(request, () => ({
    work: { catalog: { filter: identity, ...(until ? { until } : {}), limit: MOST_SNAPSHOTS } },
  }));
  return labelled(task, labels);
}

/** Whether somebody wants it to end. */
export function isCancelled(restore: Restore): boolean {
  return annotationOf(restore, "cancel") === "true";
}

function ownerOf({ restore, api }: RestoreContext) {
  return { resource: api.resource, object: restore };
}

function labelled(task: Result<RunTask, Problem>, labels: RunPlace["labels"]): Result<RunTask, Problem> {
  return task.ok && labels ? ok({ ...task.value, labels }) : task;
}

/** The run that writes the data. */
export function restoreTask(
  context: RestoreContext,
  { purpose, labels, claim, ours, prime, unseen = false }: RestorePlace,
  pinned: Pinned,
): Result<RunTask, Problem> {
  const { restore, api, repository } = context;
  const { existingFiles } = restore.spec.options;
  const { engine } = repository.spec;
  const limit = api.limit(restore.spec, engine, unseen ? undefined : pinned.fidelity);
  if (limit) return err(problemOf(limit));
  const request = {
    ...context,
    owner: ownerOf(context),
    purpose,
    expectedId: pinned.repository?.uniqueID,
    mover: restore.spec.mover,
    ...(hasOneUser(repository) ? {} : { runAs: pinned.owner }),
  };
  const task = taskFor(request, (mover) => {
    // The same for all attempts, and for no other restore's. Whoever has it may empty the volume: between two attempts a
    // workload may have written to one that it can mount.
    const { uid: own } = restore.metadata;
    // A volume that was empty before the first attempt holds nothing of its own: the next one goes on with it.
    const resumes = restore.spec.target?.pvcRef !== undefined && existingFiles === "Refuse";
    const wanted = {
      ...restoreWork(context, pinned, mover),
      ...((prime || resumes) && own ? { own } : {}),
      // A workload may have written since the first attempt: nothing of that is extra.
      ...(resumes ? { resume: true, deleteExtra: false } : {}),
    };
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

function restoreWork({ restore, repository }: RestoreContext, pinned: Pinned, mover: Mover): RestoreWork {
  const { options } = restore.spec;
  const { atomicRestore } = CAPABILITIES[repository.spec.engine];
  const { snapshotID: id = "", runID: run, root, identity } = pinned;
  const { username = "", hostname = "", sourcePath: path = "" } = identity ?? {};
  return {
    snapshot: {
      id,
      ...(run ? { run } : {}),
      ...(root ? { root } : {}),
      ...(identity ? { identity: { username, hostname, path } } : {}),
    },
    ...(options.path ? { path: relativePath(options.path) } : {}),
    ...(options.targetPath === undefined ? {} : { targetPath: relativePath(options.targetPath) }),
    target: TARGET_PATH,
    existing: options.existingFiles,
    deleteExtra: options.enableFileDeletion,
    sparse: options.sparse,
    atomic: options.writeFilesAtomically && atomicRestore,
    ownership: ownershipOf(options),
    ...(mover.parallel === undefined ? {} : { parallel: mover.parallel }),
    ...(options.extraArgs?.length ? { extraArgs: options.extraArgs } : {}),
  };
}

/** A run for a restore, and why its repository cannot be used now. */
export interface RestoreTaskPlan extends TaskPlan {
  readonly away?: Problem;
}

/** Why there is no run. */
export interface NoRun extends Problem {
  /** Its repository is not there, which is waited for like the source. Anything else goes on once it is put right. */
  readonly away?: boolean;
}

/** The repository that keeps a run waiting which has not begun. */
export function repositoryAway({ decision, away }: RestoreTaskPlan, begun: boolean): Problem | undefined {
  const { state } = decision;
  if (state.phase !== "Held" || begun) return undefined;
  const { reason, message } = state;
  return reason === away?.reason || reason === REASONS.breakerOpen ? waits(reason, message) : undefined;
}

export interface RestoreRun {
  readonly repository: RepositoryRef;
  readonly make: (context: RestoreContext) => Result<RunTask, Problem>;
  /** Default: as the restore says. */
  readonly policy?: RunPolicy;
  /** Which of several runs of the restore that work beside each other, and what was said of it. Default: its only one. */
  readonly slot?: Pick<SlotQuestion, "slot" | "said">;
  /** Why it may not begin yet. It asks for no slot meanwhile. */
  readonly hold?: { readonly reason: string; readonly message: string } | undefined;
  /** It is to end. Default: when the restore says so. */
  readonly cancel?: boolean;
}

/** Looks at a run for a restore on its repository, and decides what follows for it. */
export async function planRestoreRun(
  ports: RestorePorts,
  known: KnownRestore,
  run: RestoreRun,
  signal: AbortSignal,
): Promise<Result<RestoreTaskPlan, NoRun>> {
  const { restore } = known;
  const found = await known.repository(run.repository, signal);
  if (!found.ok) return err({ ...found.error, away: true });
  const { context, ready } = found.value;
  const { name: recipe } = restore.metadata;
  const { repository } = context;
  const edition = specFingerprint(restore);
  const heir = { namespace: context.namespace, mover: restore.spec.mover, status: restore.status, edition };
  const make = (inherited: Inherited) => run.make({ ...context, restore, api: ports.api, inherited });
  const how = {
    policy: run.policy ?? restore.spec.failurePolicy,
    gate: ready.ok && run.hold ? { open: false as const, ...run.hold } : gateOf(ready),
    slot: { owner: restore, kind: "restore", recipe, repository, ...run.slot } as const,
    cancel: run.cancel || isCancelled(restore),
  };
  const plan = await planInheriting(ports, heir, make, how, signal);
  return plan.ok && !ready.ok ? ok({ ...plan.value, away: ready.error }) : plan;
}
