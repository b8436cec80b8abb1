import type { Projection } from "../../kube/client/projection.ts";

/** What is kept of claims in memory, besides their metadata: where their data comes from, and which volume they have. */
export const KEPT_OF_CLAIM = {
  spec: { dataSourceRef: true, volumeName: true },
  status: { phase: true },
} as const satisfies Projection;
