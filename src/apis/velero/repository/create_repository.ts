import { MANAGED_BY } from "../../../core/work/run_labels.ts";
import { backupRepositoryResource } from "../../../kinds/velero/generated/backup_repository.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import { Deployments } from "../../../kube/builtin.ts";
import { createMissing } from "../../../kube/write/create_missing.ts";
import { labelValue, objectName } from "../../../lib/names.ts";
import type { PodVolume } from "../data_path/pod_volume.ts";
import { volumeNamespaceOf } from "../data_path/readiness.ts";
import type { VeleroPorts } from "../ports.ts";

/** As a Velero server is installed: it makes repositories itself, and maintains them. */
const SERVER = "velero";

/** Whether a Velero server is installed in a namespace, be it stopped. */
export async function hasServer(
  { client }: Pick<VeleroPorts, "client">,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const server = await client.get(Deployments, { namespace, name: SERVER }, { signal }).catch(ignoreGone);
  return server !== undefined;
}

/** Makes the BackupRepository that an object needs, where no server does. */
export async function createRepository(
  ports: Pick<VeleroPorts, "client">,
  object: PodVolume,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "" } = object.metadata;
  if (await hasServer(ports, namespace, signal)) return;
  const volumeNamespace = volumeNamespaceOf(object);
  const { backupStorageLocation } = object.spec;
  const draft = {
    metadata: {
      namespace,
      name: objectName(volumeNamespace, backupStorageLocation, "kopia"),
      labels: {
        ...MANAGED_BY,
        [LABELS.volumeNamespace]: labelValue(volumeNamespace),
        [LABELS.storageLocation]: labelValue(backupStorageLocation),
        [LABELS.repositoryType]: "kopia",
      },
    },
    spec: { volumeNamespace, backupStorageLocation, repositoryType: "kopia", maintenanceFrequency: "1h0m0s" },
  } as const;
  await createMissing(ports.client, backupRepositoryResource, draft, { signal });
}
