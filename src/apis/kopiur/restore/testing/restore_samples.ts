import type { Claim } from "../../../../core/volumes/claim_request.ts";
import type { TaskState } from "../../../../core/work/task_decision.ts";
import { ok } from "../../../../lib/result.ts";
import { AT, outlook, type snapshot, succeeded } from "../../testing/samples.ts";

/** A source of which only the repository knows the snapshot. */
export const ASK = {
  type: "Ask",
  repository: { kind: "Repository", name: "nas" },
  identity: { username: "data", hostname: "billing", path: "/pvc/data" },
  point: { offset: 0 },
} as const;

/** The run that asks for it, in this state. */
export const asking = (state: TaskState) => ok(outlook("ask-1", state));

/** The repository's answer. `found`: of how many these are the newest. `later`: how many there are beside, that are younger. */
export const catalog = (
  snapshots: readonly ReturnType<typeof snapshot>[],
  found = snapshots.length,
  later?: number,
) =>
  succeeded({
    catalog: {
      stats: { snapshots: found, storedBytes: 1 },
      found,
      ...(later === undefined ? {} : { later }),
      snapshots,
    },
  });

/** A claim of the namespace, without a volume. */
export function claimOf(metadata: object, spec: object = {}): Claim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: "born",
      namespace: "billing",
      uid: "uid-born",
      resourceVersion: "1",
      creationTimestamp: AT,
      ...metadata,
    },
    spec: { storageClassName: "fast", ...spec },
    status: { phase: "Pending" },
  };
}
