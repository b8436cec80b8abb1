import { isAlreadyExists, isConflict, isNotFound } from "../../kube/api_error.ts";
import type { Client, Patch } from "../../kube/client.ts";
import type { Draft } from "../../kube/object.ts";
import { writeFitted } from "../reconcile/fitted_status.ts";
import type { SnapshotHolder } from "./absence.ts";
import type { CatalogObjects } from "./catalog_objects.ts";
import type { CatalogDecision, ShownSnapshot } from "./decide_catalog.ts";

type Objects<T extends SnapshotHolder> = Pick<
  CatalogObjects<T>,
  "resource" | "isDiscovered" | "discoveredSpec"
>;

/** Requests to the API server at once. */
const AT_ONCE = 16;

/**
 * Carries out what follows from a list. What somebody else changed meanwhile is left to the next look. Rejects with the
 * first other failure, after everything else was tried.
 */
export async function applyCatalog<T extends SnapshotHolder>(
  client: Client,
  objects: Objects<T>,
  { show, remove, mark }: Pick<CatalogDecision<T>, "show" | "remove" | "mark">,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<unknown>) => {
    signal.throwIfAborted();
    await work().catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) failures.push(error);
    });
  };
  await inParallel(show, (row) => attempt(() => showRow(client, objects, row, signal)));
  await inParallel(mark, (one) =>
    attempt(() => writeFitted(client, { resource: objects.resource, ...one }, { signal })),
  );
  await inParallel(remove, (row) => attempt(() => removeRow(client, objects, row, signal)));
  if (failures.length > 0) throw failures[0];
}

async function showRow<T extends SnapshotHolder>(
  client: Client,
  objects: Objects<T>,
  shown: ShownSnapshot<T>,
  signal: AbortSignal,
): Promise<void> {
  const { labels, status, present } = shown;
  const object = present
    ? await withLabels(client, objects, present, labels, signal)
    : await created(client, objects, shown, signal);
  // Somebody may have given an object of their own this name.
  if (objects.isDiscovered(object))
    await writeFitted(client, { resource: objects.resource, object, status }, { signal });
}

/** The new object; or the one that came first, as when the cache had not heard of it. */
async function created<T extends SnapshotHolder>(
  client: Client,
  { resource, discoveredSpec: spec }: Objects<T>,
  { namespace, name, labels }: ShownSnapshot<T>,
  signal: AbortSignal,
): Promise<T> {
  const draft = { metadata: { namespace, name, labels }, spec } as unknown as Draft<T>;
  try {
    return await client.create(resource, draft, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return await client.get(resource, { namespace, name }, { signal });
  }
}

async function withLabels<T extends SnapshotHolder>(
  client: Client,
  { resource }: Objects<T>,
  object: T,
  labels: ShownSnapshot<T>["labels"],
  signal: AbortSignal,
): Promise<T> {
  const { resourceVersion, labels: present = {} } = object.metadata;
  if (Object.entries(labels).every(([label, value]) => present[label] === value)) return object;
  const patch = { metadata: { resourceVersion, labels } };
  return client.patch(resource, object.metadata, { type: "merge", patch } as unknown as Patch<T>, { signal });
}

/** The object alone: whatever became of the snapshot, nothing in the repository goes with it. */
async function removeRow<T extends SnapshotHolder>(
  client: Client,
  { resource }: Objects<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  await client.delete(resource, object.metadata, { uid, resourceVersion, signal });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) await work(items[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
