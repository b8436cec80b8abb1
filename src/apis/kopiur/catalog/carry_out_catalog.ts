import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../../kube/api_error.ts";
import type { Client, Patch } from "../../../kube/client.ts";
import type { Draft } from "../../../kube/object.ts";
import { isDiscovered } from "../backup/backup_labels.ts";
import { writeFitted } from "../write_fitted.ts";
import type { CatalogDecision, MarkedBackup, ShownBackup } from "./decide_catalog.ts";
import { DISCOVERED_SPEC } from "./discovered_backup.ts";

/** Requests to the API server at once. */
const AT_ONCE = 16;

/**
 * Carries out what follows from a list. What somebody else changed meanwhile is left to the next look. Rejects with the
 * first other failure, after everything else was tried.
 */
export async function carryOutCatalog(
  client: Client,
  { show, remove, mark }: Pick<CatalogDecision, "show" | "remove" | "mark">,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<unknown>) => {
    signal.throwIfAborted();
    await work().catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) failures.push(error);
    });
  };
  await inTurns(show, (row) => attempt(() => showBackup(client, row, signal)));
  await inTurns(mark, (one) => attempt(() => markBackup(client, one, signal)));
  await inTurns(remove, (backup) => attempt(() => removeRow(client, backup, signal)));
  if (failures.length > 0) throw failures[0];
}

async function showBackup(client: Client, shown: ShownBackup, signal: AbortSignal): Promise<void> {
  const { labels, status, present } = shown;
  const object = present
    ? await withLabels(client, present, labels, signal)
    : await created(client, shown, signal);
  // Somebody may have given a Backup of their own this name.
  if (isDiscovered(object))
    await writeFitted(client, { resource: backupResource, object, status }, { signal });
}

/** The new Backup; or the one that came first, as when the cache had not heard of it. */
async function created(
  client: Client,
  { namespace, name, labels }: ShownBackup,
  signal: AbortSignal,
): Promise<Backup> {
  const draft: Draft<Backup> = { metadata: { namespace, name, labels }, spec: DISCOVERED_SPEC };
  try {
    return await client.create(backupResource, draft, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return await client.get(backupResource, { namespace, name }, { signal });
  }
}

async function withLabels(
  client: Client,
  backup: Backup,
  labels: ShownBackup["labels"],
  signal: AbortSignal,
): Promise<Backup> {
  const { resourceVersion, labels: present = {} } = backup.metadata;
  if (Object.entries(labels).every(([label, value]) => present[label] === value)) return backup;
  const patch = { metadata: { resourceVersion, labels } };
  return client.patch(backupResource, backup.metadata, { type: "merge", patch } as unknown as Patch<Backup>, {
    signal,
  });
}

async function markBackup(client: Client, { backup, status }: MarkedBackup, signal: AbortSignal) {
  await writeFitted(client, { resource: backupResource, object: backup, status }, { signal });
}

/** The Backup alone: its policy is Retain, whatever became of the snapshot. */
async function removeRow(client: Client, backup: Backup, signal: AbortSignal): Promise<void> {
  const { uid, resourceVersion } = backup.metadata;
  await client.delete(backupResource, backup.metadata, { uid, resourceVersion, signal });
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) await work(items[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
