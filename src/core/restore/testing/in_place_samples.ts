import { StatefulSets } from "../../../kube/builtin.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { UseDecision } from "../../workloads/scaling/decide_use.ts";
import { SCALED_FOR, SCALED_FROM } from "../../workloads/scaling/scaling_marks.ts";
import type { Scalable, Workload } from "../../workloads/scaling/workload.ts";
import type { ObservedRestore } from "../observe_restore.ts";
import { claimOf, decide, restore } from "./restore_samples.ts";

const spec = { target: { pvcRef: { name: "data", scaleDownWorkloads: true } } } as const;

/** A restore into a claim that is there already. */
export const inPlace = (status?: object, metadata: object = {}) =>
  restore({ spec, metadata, ...(status ? { status } : {}) });

/** That claim. */
export const existing = (claimSpec: object = {}, metadata: object = {}) =>
  claimOf({ name: "data", uid: "uid-data", ...metadata }, claimSpec);

/** What follows for it, with this seen beside. */
export const decideInPlace = (more: Partial<ObservedRestore> = {}) =>
  decide({ restore: inPlace(), claim: existing(), ...more });

/** The workload that uses the claim. */
export function keeper(annotations: Record<string, string> = {}, replicas = 2): Workload {
  const { metadata } = claimOf({ name: "keeper", uid: "uid-data", annotations });
  return {
    resource: StatefulSets as Resource<Scalable>,
    object: { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: { replicas } },
    replicas,
  };
}

/** The same, scaled down for the restore; and how that is remembered. */
export const down = keeper({ [SCALED_FOR]: "uid-again", [SCALED_FROM]: "2" }, 0);
export const remembered = [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "keeper", replicas: 2 }];

export const SCALE: Extract<UseDecision, { readonly type: "Scale" }> = {
  type: "Scale",
  reason: "ScalingDown",
  message: "down it goes",
  workloads: [keeper()],
  intents: [{ type: "ScaleDown", workload: keeper(), holder: "uid-again" }],
};
export const IN_USE: Extract<UseDecision, { readonly type: "InUse" }> = {
  type: "InUse",
  reason: "VolumeInUse",
  message: "mounted",
};
