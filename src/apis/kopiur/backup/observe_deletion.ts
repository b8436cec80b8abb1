import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, type Result } from "../../../lib/result.ts";
import { BY_SNAPSHOT } from "../caches.ts";
import { groundOf, outlookOf } from "../ground.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import { blocked, type Problem } from "../problem.ts";
import { isUnfinished, recordOf } from "../records.ts";
import { decideBackup } from "./decide_backup.ts";
import type { ObservedDeletion } from "./decide_deletion.ts";
import { deleteTask, toDelete } from "./delete_task.ts";
import { type Frozen, frozenOf } from "./frozen.ts";
import { inheritedFor } from "./inherited_for.ts";
import { observeBackup } from "./observe_backup.ts";
import { observeCleaning } from "./observe_copies.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf } from "./staging_memory.ts";

/** What the repository does not hold any more is asked for as long as the Backup is there. */
const FOREVER = { backoffLimit: Number.MAX_SAFE_INTEGER };

/** Looks at a Backup that is being deleted, and at what it leaves behind. */
export async function observeDeletion(
  ports: KopiurPorts,
  backup: Backup,
  signal: AbortSignal,
): Promise<ObservedDeletion> {
  const { caches, clock } = ports;
  const frozen = frozenOf(backup.status);
  const policy = backup.spec.deletionPolicy ?? frozen?.deletionPolicy ?? "Delete";
  const namespace = caches.namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
  const namespaceGoing = namespace?.metadata.deletionTimestamp !== undefined;
  const seen = { backup, policy, namespaceGoing, now: clock.now() };
  if (!frozen) return seen;
  const cleaning = memoryOf(backup.status) && (await observeCleaning(ports, backup, frozen, signal));
  const base = { ...seen, cleaning };
  if (isUnfinished(recordOf(backup.status, SNAPSHOT))) {
    const observed = await observeBackup(ports, backup, { signal, cancel: true });
    if (observed.run?.ok) return { ...base, ending: decideBackup(observed) };
  }
  if (policy !== "Delete" || namespaceGoing) return base;
  return { ...base, deletion: await deletionOf(ports, backup, frozen, signal) };
}

async function deletionOf(
  ports: KopiurPorts,
  backup: Backup,
  frozen: Frozen,
  signal: AbortSignal,
): Promise<Result<Outlook, Problem> | undefined> {
  const work = toDelete(backup.status, sharedSnapshots(ports, backup, frozen));
  if (!work) return undefined;
  const key = keyOf(frozen.repository);
  const repository = ports.caches.repositories.get(key);
  if (!repository) {
    return err(
      blocked(
        "RepositoryNotFound",
        `Repository ${key} does not exist, so its snapshots cannot be deleted. Create it again, or let the Backup go with the annotation skip-snapshot-cleanup.`,
      ),
    );
  }
  const ground = await groundOf(ports, repository, signal);
  const { moverDefaults } = repository.spec;
  const inherited = await inheritedFor(ports, { backup, frozen, moverDefaults }, signal);
  const task = deleteTask({ ...ground, backup, frozen, inherited }, work);
  return outlookOf(ports, { task, status: backup.status, policy: FOREVER }, signal);
}

/** IDs of snapshots that another Backup of the same repository names, which is not going itself. */
function sharedSnapshots(
  { caches }: KopiurPorts,
  backup: Backup,
  { repository }: Frozen,
): ReadonlySet<string> {
  const ids = (backup.status?.snapshots ?? []).map(({ kopiaSnapshotID }) => kopiaSnapshotID);
  const isShared = (id: string) =>
    caches.backups
      .indexed(BY_SNAPSHOT, id)
      .some(
        ({ metadata, status }) =>
          metadata.uid !== backup.metadata.uid &&
          metadata.deletionTimestamp === undefined &&
          status?.resolved?.repository?.uniqueID === repository.uniqueID,
      );
  return new Set(ids.filter(isShared));
}
