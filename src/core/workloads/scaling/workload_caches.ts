import type { Cache } from "../../../kube/cache/cache.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Projection } from "../../../kube/projection.ts";
import type { Resource } from "../../../kube/resource.ts";
import { LISTED_KINDS } from "./workload.ts";

/** What tells which claims the pods of a workload use. */
const KEPT_OF_WORKLOAD = {
  spec: {
    template: { spec: { volumes: { persistentVolumeClaim: true } } },
    volumeClaimTemplates: { metadata: { name: true } },
  },
} as const satisfies Projection;

/**
 * The workloads that may come to use a volume while it is restored, and tell so at once. Where they may not be watched,
 * a restore finds them when it looks the next time.
 */
export function workloadCaches(
  informers: Pick<Informers, "cache">,
  namespace: string | undefined,
): readonly Cache<KubeObject>[] {
  const scope = namespace === undefined ? {} : { namespace };
  return LISTED_KINDS.map((resource) =>
    informers.cache({ resource: resource as Resource, ...scope, keep: KEPT_OF_WORKLOAD, optional: true }),
  );
}
