import type { Projection } from "../../kube/projection.ts";

/** What is kept of claims in memory, besides their metadata: where their data comes from, which volume they have, and what they asked for. */
export const KEPT_OF_CLAIM = {
  spec: {
    dataSourceRef: true,
    volumeName: true,
    volumeMode: true,
    resources: true,
    storageClassName: true,
    accessModes: true,
  },
  status: { phase: true },
} as const satisfies Projection;
