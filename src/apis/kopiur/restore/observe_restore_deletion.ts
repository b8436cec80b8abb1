import { observeUsers } from "../../../core/workloads/scaling/observe_users.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import type { KopiurPorts } from "../ports.ts";
import type { ObservedRestoreDeletion } from "./decide_restore_deletion.ts";
import { targetName } from "./resolution.ts";
import { observeScaled } from "./scaled_workloads.ts";

/** Looks at what has to be put back before a Restore can go. */
export async function observeRestoreDeletion(
  { client, caches, clock }: KopiurPorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<ObservedRestoreDeletion> {
  const { namespace = "", finalizers = [] } = restore.metadata;
  const now = clock.now();
  const home = caches.namespaces.get(keyOf({ name: namespace }));
  const base = { restore, now, namespaceGoes: home?.metadata.deletionTimestamp !== undefined };
  if (!finalizers.includes(SCALED_WORKLOADS)) return { ...base, scaled: [], users: [] };
  const name = targetName(restore) ?? "";
  const { users } = await observeUsers(client, { namespace, name }, { signal });
  const { seen: scaled, hidden } = await observeScaled(client, restore, signal);
  return { ...base, scaled, hidden, users };
}
