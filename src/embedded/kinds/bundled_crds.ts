import type { KubeObject } from "../../kube/object.ts";
import type { AnyCrd } from "./crd_kinds.ts";
import { snapshotCrdsJson } from "./generated/snapshot_crds.js";

/** A CustomResourceDefinition that a control plane installs for itself. */
export interface BundledCrd extends AnyCrd {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: Pick<KubeObject["metadata"], "name" | "labels" | "annotations">;
}

const volumePopulators: BundledCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "volumepopulators.populator.storage.k8s.io",
    annotations: {
      "api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements/pull/2934",
    },
  },
  spec: {
    group: "populator.storage.k8s.io",
    scope: "Cluster",
    names: {
      kind: "VolumePopulator",
      listKind: "VolumePopulatorList",
      plural: "volumepopulators",
      singular: "volumepopulator",
    },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: "SourceKind", type: "string", jsonPath: ".sourceKind" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A kind of object that volumes may be filled from.",
            required: ["sourceKind"],
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { type: "object" },
              sourceKind: {
                type: "object",
                description: "The kind that a claim's dataSourceRef names.",
                required: ["group", "kind"],
                properties: { group: { type: "string" }, kind: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
};

/**
 * The CustomResourceDefinitions of volume snapshots and populators. On a cluster somebody installs them; an
 * embedded control plane brings them along.
 */
export const bundledCrds: readonly BundledCrd[] = [
  ...Object.values(JSON.parse(snapshotCrdsJson) as Record<string, BundledCrd>),
  volumePopulators,
];
