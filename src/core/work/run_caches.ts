import { type Job, Jobs, type Pod, Pods } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Projection } from "../../kube/projection.ts";
import { OWNER_LABEL } from "./run_labels.ts";

/** The Jobs and pods of runs, and of nothing else. */
export interface RunCaches {
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
}

/** The index of both caches: by OWNER_LABEL. */
export const BY_OWNER = "run-owner";

/** A Job without what its pods are made from. */
export const KEPT_OF_JOB = {
  spec: { suspend: true },
  status: true,
} as const satisfies Projection;

/** A pod without its volumes, environment and addresses. */
export const KEPT_OF_POD = {
  spec: { nodeName: true, containers: { name: true, image: true, resources: true } },
  status: { phase: true, reason: true, message: true, conditions: true, containerStatuses: true },
} as const satisfies Projection;

/** Shares the informers of runs, however many controllers ask. `namespace`: default all. */
export function runCaches(informers: Pick<Informers, "cache">, namespace?: string): RunCaches {
  const scope = { labelSelector: OWNER_LABEL, ...(namespace === undefined ? {} : { namespace }) };
  const indexes = { [BY_OWNER]: ownerOf };
  return {
    jobs: informers.cache({ resource: Jobs, ...scope, keep: KEPT_OF_JOB, indexes }),
    pods: informers.cache({ resource: Pods, ...scope, keep: KEPT_OF_POD, indexes }),
  };
}

function ownerOf({ metadata }: KubeObject): readonly string[] {
  const owner = metadata.labels?.[OWNER_LABEL];
  return owner === undefined ? [] : [owner];
}
