import { type Maintenance, maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { Draft } from "../../../kube/object.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { type AnyRepository, isOfCluster, resourceOfRepository } from "../references.ts";

/**
 * The Maintenance of a repository that has none; all else is the schema's defaults. It goes with the repository: it
 * stands for no data.
 */
export function defaultMaintenance(repository: AnyRepository, namespace: string): Draft<Maintenance> {
  const { name } = repository.metadata;
  const kind = isOfCluster(repository) ? "ClusterRepository" : "Repository";
  const dependent = { resource: maintenanceResource, namespace };
  const resource = resourceOfRepository(repository.metadata);
  const owner = ownerReference({
    owner: { resource, object: repository },
    dependent,
    blockOwnerDeletion: false,
  });
  const draft = {
    metadata: {
      namespace,
      // A Repository of the same name may be beside it.
      name: isOfCluster(repository) ? `cluster-${name}`.slice(0, MAX_NAME) : name,
      labels: { [LABELS.defaultMaintenance]: "true" },
      ownerReferences: [owner],
    },
    spec: { repository: { kind, name } },
  };
  // The server fills in the defaults.
  return draft as unknown as Draft<Maintenance>;
}

const MAX_NAME = 253;
