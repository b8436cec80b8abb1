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
  let asked = request;
  const ask = async () => {
    const patch = { metadata: { annotations: { [ANNOTATIONS.refreshCatalog]: asked } } };
    await stage.world.client.patch(repositoryResource, name, { type: "merge", patch });
  };
  await ask();
  return stage.eventually(`the list was read for ${request}`, async () => {
    const { status = {} } = await stage.world.client.get(repositoryResource, name);
    const { handledRefreshRequest, failures = 0 } = status.catalog ?? {};
    const handled = handledRefreshRequest === asked;
    // A look that failed is an answer, too.
    if (handled && failures > 0) {
      asked = `${asked}-again`;
      await ask();
    }
    return { done: handled && failures === 0, value: status };
  });
}
