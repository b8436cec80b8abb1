import type { KubeObject } from "../../kube/object.ts";
import type { Result } from "../../lib/result.ts";
import { commonNames } from "../catalog/snapshot_owner_index.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { Problem } from "../reconcile/problem.ts";
import { isUnfinished, recordOf } from "../reconcile/records.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import { gateOf, planTask } from "../repository/plan_task.ts";
import type { Repository } from "../repository/repository.ts";
import type { RunContext } from "../repository/task_for.ts";
import { FOREVER } from "../work/run_policy.ts";
import type { BackupObject, BackupRequest, SnapshotEntry } from "./backup.ts";
import { decideBackup, type ObservedBackup } from "./decide_backup.ts";
import type { ObservedDeletion } from "./decide_deletion.ts";
import { deletePurpose, deleteTask, deletionEdition, toDelete } from "./delete_task.ts";
import type { HeldDeletion } from "./deletion_guard.ts";
import { inheritedFor } from "./inherited_for.ts";
import { observeCleaning } from "./observe_copies.ts";
import { owesHooks } from "./observe_hooks.ts";
import type { DeletionPolicy } from "./plan.ts";
import { entryReference } from "./snapshot_entries.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf } from "./staging_memory.ts";
import { turnToDelete } from "./turn_to_delete.ts";

/** What the repository does not hold any more is asked for as long as the object is there. */

/** What only the API of a backup that is being deleted can look up. */
export interface DeletionLookup {
  readonly policy: DeletionPolicy;
  readonly namespaceGoing: boolean;
  /** The run that makes the snapshots, while it is told to end. */
  ending(): Promise<ObservedBackup>;
  /** Why its snapshots are not to be deleted yet. */
  held(): HeldDeletion | undefined;
  /** What a run on its repository needs to know; or why there can be none. */
  repository(): Promise<Result<DeletionContext, Problem>>;
  /** Other objects, which are not going, that stand for snapshots of this ID, or of this run, in the same repository. */
  ownersOf(name: string): readonly BackupObject[];
  /** A backup of the same repository whose run may come to refer to these snapshots. */
  referring(): KubeObject | undefined;
}

export interface DeletionContext {
  readonly ready: Result<Repository, Problem>;
  context(): Promise<RunContext>;
}

type Deleted = Pick<BackupRequest, "owner" | "plan" | "tenant">;

/** Looks at a backup that is being deleted, and at what it leaves behind. */
export async function observeDeletion(
  ports: EngineRoom,
  backup: Deleted,
  lookup: DeletionLookup,
  signal: AbortSignal,
): Promise<Pick<ObservedDeletion, "cleaning" | "ending" | "held" | "deletion">> {
  const { object } = backup.owner;
  const cleaning = memoryOf(object.status) && (await observeCleaning(ports, backup, signal));
  const owes = owesHooks(object);
  if (owes || isUnfinished(recordOf(object.status, SNAPSHOT))) {
    const observed = await lookup.ending();
    if (owes || observed.run?.ok) return { cleaning, ending: decideBackup(observed) };
  }
  if (lookup.policy !== "Delete" || lookup.namespaceGoing) return { cleaning };
  const held = lookup.held();
  if (held) return { cleaning, held };
  return { cleaning, deletion: await deletionOf(ports, backup, lookup, signal) };
}

async function deletionOf(
  ports: EngineRoom,
  backup: Deleted,
  lookup: DeletionLookup,
  signal: AbortSignal,
): Promise<Result<TaskPlan, Problem> | undefined> {
  const { owner, plan, tenant: recipe } = backup;
  const { object } = owner;
  const work = toDelete(object, sharedSnapshots(object, lookup));
  if (!work) return undefined;
  const found = await lookup.repository();
  if (!found.ok) return found;
  const { ready } = found.value;
  const record = recordOf(object.status, deletePurpose(object));
  if (!ready.ok && record?.job === undefined) return ready;
  const context = await found.value.context();
  const { repository } = context;
  const inherited = await inheritedFor(ports, { backup, repository }, signal);
  const request = {
    task: deleteTask({ ...context, backup, inherited }, work),
    status: object.status,
    edition: deletionEdition(record, ready.ok, ports.clock.now()),
    policy: FOREVER,
    gate: ready.ok ? turnToDelete({ plan, record, referring: lookup.referring() }) : gateOf(ready),
    slot: { owner: object, kind: "delete", recipe, repository } as const,
  };
  return planTask(ports, request, signal);
}

/** IDs of the snapshots that another object made or refers to, perhaps by another ID. */
function sharedSnapshots(
  { status }: BackupObject,
  { ownersOf }: Pick<DeletionLookup, "ownersOf">,
): ReadonlySet<string> {
  const isShared = (entry: SnapshotEntry) => {
    const { id, runID = id } = entry;
    const names = new Set(commonNames(entryReference(entry)));
    return [id, runID]
      .flatMap(ownersOf)
      .flatMap((other) => other.status?.snapshots ?? [])
      .some((theirs) => commonNames(entryReference(theirs)).some((name) => names.has(name)));
  };
  return new Set((status?.snapshots ?? []).filter(isShared).map(({ id }) => id));
}
