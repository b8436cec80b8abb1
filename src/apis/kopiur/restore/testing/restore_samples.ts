import type { Claim } from "../../../../core/volumes/claim_request.ts";
import { standIn } from "../../../../core/volumes/populator/decide_new_claim.ts";
import { primeMeta } from "../../../../core/volumes/populator/population_marks.ts";
import type { TaskState } from "../../../../core/work/task_decision.ts";
import { restoreResource } from "../../../../kinds/kopiur/generated/restore.ts";
import { ok } from "../../../../lib/result.ts";
import { AT, outlook, restore, type snapshot, succeeded } from "../../testing/samples.ts";
import { claimRequest } from "../restore_target.ts";

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

/** The prime claim of the sample's new claim, with its volume. */
export function primeOf(more: object = {}): Claim {
  const { pvc } = restore().spec.target ?? {};
  if (!pvc) throw new Error("the sample has another target");
  const source = { resource: restoreResource, name: "again", uid: "uid-again" };
  const meta = primeMeta(standIn(claimRequest(restore(), pvc)), source);
  return claimOf({ ...meta, uid: "uid-prime", ...more }, { volumeName: "pvc-uid-prime" });
}
