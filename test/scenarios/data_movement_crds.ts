import { dataDownloadResource, dataUploadResource } from "../../src/kinds/velero/data_movement.ts";
import { resourceName } from "../../src/kube/resource.ts";
import type { CrdManifest } from "./install_crds.ts";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The kinds of Velero's own data mover, as far as a refusal needs them. */
export const DATA_MOVEMENT_CRDS: readonly CrdManifest[] = [dataUploadResource, dataDownloadResource].map(
  (resource) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: resourceName(resource) },
    spec: {
      group: resource.group,
      scope: "Namespaced",
      names: { kind: resource.kind, plural: resource.plural },
      versions: [
        {
          name: resource.version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } },
          },
        },
      ],
    },
  }),
);
