import { commonNames } from "../../../core/catalog/keeper_index.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, type Result } from "../../../lib/result.ts";
import { BY_SNAPSHOT } from "../caches.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import { blocked, type Problem } from "../problem.ts";
import { isUnfinished, recordOf } from "../records.ts";
import { repositoryKey, repositoryText } from "../references.ts";
import { findRepository, useRepository } from "../repository_use.ts";
import { entryReference } from "../snapshot_reference.ts";
import { isDiscovered } from "./backup_labels.ts";
import { deletionPolicyOf } from "./backup_wishes.ts";
import { decideBackup } from "./decide_backup.ts";
import type { ObservedDeletion } from "./decide_deletion.ts";
import { deletePurpose, deleteTask, deletionEdition, toDelete } from "./delete_task.ts";
import { configKey, type Frozen, frozenOf } from "./frozen.ts";
import { owesHooks } from "./hooks_view.ts";
import { inheritedFor } from "./inherited_for.ts";
import { observeBackup } from "./observe_backup.ts";
import { observeCleaning } from "./observe_copies.ts";
import { SNAPSHOT } from "./snapshot_task.ts";
import { memoryOf } from "./staging_memory.ts";
import { turnToDelete } from "./turn_to_delete.ts";

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
  const policy = isDiscovered(backup) ? "Retain" : deletionPolicyOf(backup, frozen?.deletionPolicy);
  const namespace = caches.namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
  const namespaceGoing = namespace?.metadata.deletionTimestamp !== undefined;
  const seen = { backup, policy, namespaceGoing, now: clock.now() };
  if (!frozen) return seen;
  const cleaning = memoryOf(backup.status) && (await observeCleaning(ports, backup, frozen, signal));
  const base = { ...seen, cleaning };
  const owes = owesHooks(backup);
  if (owes || isUnfinished(recordOf(backup.status, SNAPSHOT))) {
    const observed = await observeBackup(ports, backup, { signal, cancel: true });
    if (owes || observed.run?.ok) return { ...base, ending: decideBackup(observed) };
  }
  if (policy !== "Delete" || namespaceGoing) return base;
  const repository = findRepository(
    caches,
    repositoryKey(frozen.repository, backup.metadata.namespace ?? ""),
  );
  const held = repository && ports.deletionGuard.holds(backup, repository);
  if (held) return { ...base, held };
  return { ...base, deletion: await deletionOf(ports, backup, frozen, signal) };
}

async function deletionOf(
  ports: KopiurPorts,
  backup: Backup,
  frozen: Frozen,
  signal: AbortSignal,
): Promise<Result<Outlook, Problem> | undefined> {
  const work = toDelete(backup, sharedSnapshots(ports, backup, frozen));
  if (!work) return undefined;
  const { namespace = "" } = backup.metadata;
  const witnesses = [ports.caches.configs.get(configKey(backup))];
  const { key, repository, permitted, ready } = useRepository(ports, frozen.repository, {
    namespace,
    witnesses,
  });
  if (!repository) {
    return err(
      blocked(
        "RepositoryNotFound",
        `${repositoryText(key)} does not exist, so its snapshots cannot be deleted. Create it again, or let the Backup go with the annotation skip-snapshot-cleanup.`,
      ),
    );
  }
  if (!permitted.ok) return permitted;
  const record = recordOf(backup.status, deletePurpose(backup));
  if (!ready.ok && record?.job === undefined) return ready;
  const ground = await groundOf(ports, repository, namespace, signal);
  const { moverDefaults } = repository.spec;
  const inherited = await inheritedFor(ports, { backup, frozen, moverDefaults }, signal);
  const task = deleteTask({ ...ground, backup, frozen, inherited }, work);
  const recipe = backup.spec.configRef?.name ?? "";
  const seat = { owner: backup, kind: "delete", recipe, repository } as const;
  const request = {
    task,
    status: backup.status,
    edition: deletionEdition(record, ready.ok, ports.clock.now()),
    policy: FOREVER,
    gate: ready.ok ? turnToDelete({ caches: ports.caches, backup, frozen, record }) : gateOf(ready),
    seat,
  };
  return outlookOf(ports, request, signal);
}

/**
 * IDs of the snapshots that another Backup of the same repository made or refers to, perhaps by another ID, which is not
 * going itself.
 */
function sharedSnapshots(
  { caches }: KopiurPorts,
  backup: Backup,
  { repository }: Frozen,
): ReadonlySet<string> {
  const stays = ({ metadata, status }: Backup) =>
    metadata.uid !== backup.metadata.uid &&
    metadata.deletionTimestamp === undefined &&
    status?.resolved?.repository?.uniqueID === repository.uniqueID;
  const isShared = (entry: SnapshotStatus) => {
    const { kopiaSnapshotID: id, runID = id } = entry;
    const names = new Set(commonNames(entryReference(entry)));
    return [id, runID]
      .flatMap((key) => caches.backups.indexed(BY_SNAPSHOT, key))
      .filter((other) => stays(other) && !isDiscovered(other))
      .flatMap(({ status }) => status?.snapshots ?? [])
      .some((theirs) => commonNames(entryReference(theirs)).some((name) => names.has(name)));
  };
  const shared = (backup.status?.snapshots ?? []).filter(isShared);
  return new Set(shared.map(({ kopiaSnapshotID }) => kopiaSnapshotID));
}
