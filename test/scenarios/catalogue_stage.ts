import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type RepositoryStatus, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { LABELS } from "../../src/kinds/kopiur/labels.ts";
import type { Stage } from "./stage.ts";

/** The Backups of what was found, newest first, once there are so many. */
export async function foundBackups(stage: Stage, count: number): Promise<readonly Backup[]> {
  return stage.eventually(`${count} snapshots are found`, async () => {
    const { namespace } = stage;
    const labelSelector = `${LABELS.origin}=discovered`;
    const { items } = await stage.world.client.list(backupResource, { namespace, labelSelector });
    const begun = ({ status }: Backup) => status?.timing?.startTime ?? "";
    const value = items.toSorted((a, b) => (begun(a) < begun(b) ? 1 : -1));
    const done = items.length === count && items.every(({ status }) => status?.phase === "Discovered");
    return { done, value };
  });
}

/** The status of the repository, after it was read on demand. */
export async function refreshed(stage: Stage, request: string): Promise<RepositoryStatus> {
  const name = { namespace: stage.namespace, name: "repository" };
  const patch = { metadata: { annotations: { [ANNOTATIONS.refreshCatalog]: request } } };
  await stage.world.client.patch(repositoryResource, name, { type: "merge", patch });
  return stage.eventually(`the list was read for ${request}`, async () => {
    const { status = {} } = await stage.world.client.get(repositoryResource, name);
    return { done: status.catalog?.handledRefreshRequest === request, value: status };
  });
}
