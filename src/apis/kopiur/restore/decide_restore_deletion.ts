import { OWNER_LABEL, ownerLabel } from "../../../core/work/run_labels.ts";
import type { VolumeUse } from "../../../core/workloads/scaling/observe_users.ts";
import { holdersOf } from "../../../core/workloads/scaling/scaling_marks.ts";
import type { Workload } from "../../../core/workloads/scaling/workload.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Decision } from "../decision.ts";
import { SCALING } from "./scaled_workloads.ts";

export interface ObservedRestoreDeletion {
  readonly restore: Restore;
  /** What it has scaled down, as it is now. */
  readonly scaled: readonly Workload[];
  /** The pods that have the volume. */
  readonly users: VolumeUse["users"];
  /** The namespace is going, and everything in it. */
  readonly namespaceGoes: boolean;
  readonly now: number;
}

/** A Restore that goes brings back what it has scaled down, as soon as its mover has left the volume. */
export function decideRestoreDeletion(observed: ObservedRestoreDeletion): Decision<RestoreStatus> {
  const { restore, scaled, users, namespaceGoes, now } = observed;
  const { uid, finalizers = [] } = restore.metadata;
  if (!finalizers.includes(SCALED_WORKLOADS)) return { intents: [] };
  const down = scaled.filter(({ object }) => holdersOf(object).includes(uid));
  if (namespaceGoes || down.length === 0)
    return { intents: [{ type: "LetGo", finalizer: SCALED_WORKLOADS }] };
  const writes = users.some(({ pod }) => pod.metadata.labels?.[OWNER_LABEL] === ownerLabel({ uid }));
  if (writes) return { intents: [{ type: "EndRuns" }], wakeAt: now + SCALING };
  const intents = down.map((workload) => ({ type: "ScaleUp", workload, holder: uid }) as const);
  // A mover that is still on its way finds its Job gone.
  return { intents: [{ type: "EndRuns" }, { type: "Scale", intents }], wakeAt: now };
}
