import { isConflict, isForbidden, isNotFound } from "../../kube/api_error.ts";
import type { CallOptions, Client } from "../../kube/client.ts";
import type { ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { writeFitted } from "../reconcile/fitted_status.ts";
import type { DeletionsState, PendingDeletion, Repository } from "./repository.ts";

/** Why a snapshot is still there whose backup went with its namespace. */
export const NAMESPACE_GONE = "NamespaceGone";
/** So many snapshots are listed that should be gone: whose deletion is not done, and then what was kept. */
export const OLDEST = 16;
/** How often it is tried again when somebody else wrote meanwhile. */
const TRIES = 5;

/** Snapshots that should have been deleted with their backup, and stay. */
export interface KeptSnapshots {
  /** The repository: without a namespace, one of the whole cluster. */
  readonly repository: ObjectName;
  readonly snapshots: readonly PendingDeletion[];
}

/**
 * The repository's status counts them, and lists the first of them; nobody waits for them to go. A repository that is
 * gone, or may not be written, has no such list, and nothing waits for it.
 */
export async function noteKept(
  client: Pick<Client, "get" | "patch">,
  resource: Resource<Repository>,
  { repository: name, snapshots }: KeptSnapshots,
  call: CallOptions = {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const object = await client.get(resource, name, call);
      const status = { ...object.status, deletions: withKept(object.status?.deletions, snapshots) };
      await writeFitted(client as Client, { resource, object, status }, call);
      return;
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return;
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

function withKept(before: DeletionsState = {}, snapshots: readonly PendingDeletion[]): DeletionsState {
  const listed = before.oldest ?? [];
  const isListed = (one: PendingDeletion) =>
    listed.some(({ snapshotID, backup }) => snapshotID === one.snapshotID && backup === one.backup);
  const fresh = snapshots.filter((one) => !isListed(one));
  return {
    ...before,
    kept: (before.kept ?? 0) + fresh.length,
    oldest: [...listed, ...fresh].slice(0, OLDEST),
  };
}
