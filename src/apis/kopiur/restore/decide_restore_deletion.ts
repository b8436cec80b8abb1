import { OWNER_LABEL, ownerLabel } from "../../../core/work/run_labels.ts";
import type { VolumeUse } from "../../../core/workloads/scaling/observe_users.ts";
import { holdersOf } from "../../../core/workloads/scaling/scaling_marks.ts";
import type { HiddenWorkload, Workload } from "../../../core/workloads/scaling/workload.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Decision } from "../decision.ts";
import { conditionsFor, newsOf, standOf, wakeFor } from "../verdicts.ts";
import { notBroughtBack, SCALING } from "./scaled_workloads.ts";

export interface ObservedRestoreDeletion {
  readonly restore: Restore;
  /** What it has scaled down, as it is now. */
  readonly scaled: readonly Workload[];
  /** What of that we may not read. */
  readonly hidden?: readonly HiddenWorkload[];
  /** The pods that have the volume. */
  readonly users: VolumeUse["users"];
  /** The namespace is going, and everything in it. */
  readonly namespaceGoes: boolean;
  readonly now: number;
}

/** A Restore that goes brings back what it has scaled down, as soon as its mover has left the volume. */
export function decideRestoreDeletion(observed: ObservedRestoreDeletion): Decision<RestoreStatus> {
  const { restore, scaled, hidden = [], users, namespaceGoes, now } = observed;
  const { uid, finalizers = [] } = restore.metadata;
  if (!finalizers.includes(SCALED_WORKLOADS)) return { intents: [] };
  const down = scaled.filter(({ object }) => holdersOf(object).includes(uid));
  if (namespaceGoes || (down.length === 0 && hidden.length === 0))
    return { intents: [{ type: "LetGo", finalizer: SCALED_WORKLOADS }] };
  const writes = users.some(({ pod }) => pod.metadata.labels?.[OWNER_LABEL] === ownerLabel({ uid }));
  if (writes) return { intents: [{ type: "EndRuns" }], wakeAt: now + SCALING };
  if (down.length === 0) return heldBy(restore, hidden, now);
  const intents = down.map((workload) => ({ type: "ScaleUp", workload, holder: uid }) as const);
  // A mover that is still on its way finds its Job gone.
  return { intents: [{ type: "EndRuns" }, { type: "Scale", intents }], wakeAt: now };
}

/** Nobody else knows that these are to come back. */
function heldBy(restore: Restore, hidden: readonly HiddenWorkload[], now: number): Decision<RestoreStatus> {
  const problem = notBroughtBack(hidden);
  const stand = standOf(problem);
  return {
    status: { ...restore.status, conditions: conditionsFor(restore, stand, [], now) },
    intents: [{ type: "EndRuns" }],
    events: newsOf(restore, stand),
    wakeAt: wakeFor(problem, now),
  };
}
