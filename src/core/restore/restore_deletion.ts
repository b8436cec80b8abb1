import type { Decision } from "../reconcile/decision.ts";
import { conditionsFor, newsOf, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { OWNER_LABEL, ownerLabel } from "../work/run_labels.ts";
import { observeUsers, type VolumeUse } from "../workloads/scaling/observe_users.ts";
import { holdersOf } from "../workloads/scaling/scaling_marks.ts";
import type { HiddenWorkload, Workload } from "../workloads/scaling/workload.ts";
import { notBroughtBack, observeScaled, SCALING } from "./in_place.ts";
import { type Restore, type RestoreState, type RestoreView, targetName } from "./restore.ts";
import type { RestorePorts } from "./restore_ports.ts";

export interface ObservedRestoreDeletion extends RestoreView {
  /** What it has scaled down, as it is now. */
  readonly scaled: readonly Workload[];
  /** What of that we may not read. */
  readonly hidden?: readonly HiddenWorkload[];
  /** The pods that have the volume. */
  readonly users: VolumeUse["users"];
  /** The namespace is going, and everything in it. */
  readonly namespaceGoes: boolean;
}

/** Looks at what has to be put back before a restore can go. */
export async function observeRestoreDeletion(
  ports: RestorePorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<ObservedRestoreDeletion> {
  const { client, api, clock } = ports;
  const { namespace = "", finalizers = [] } = restore.metadata;
  const base = { restore, api, now: clock.now(), namespaceGoes: ports.isGoing(namespace) };
  if (!finalizers.includes(api.finalizer)) return { ...base, scaled: [], users: [] };
  const name = targetName(restore) ?? "";
  const { users } = await observeUsers(client, { namespace, name }, { signal });
  const { seen: scaled, hidden } = await observeScaled(client, restore, signal);
  return { ...base, scaled, hidden, users };
}

/** A restore that goes brings back what it has scaled down, as soon as its mover has left the volume. */
export function decideRestoreDeletion(observed: ObservedRestoreDeletion): Decision<RestoreState> {
  const { restore, api, scaled, hidden = [], users, namespaceGoes, now } = observed;
  const { finalizer } = api;
  const { uid, finalizers = [] } = restore.metadata;
  if (!finalizers.includes(finalizer)) return { intents: [] };
  const down = scaled.filter(({ object }) => holdersOf(object).includes(uid));
  if (namespaceGoes || (down.length === 0 && hidden.length === 0))
    return { intents: [{ type: "LetGo", finalizer }] };
  const writes = users.some(({ pod }) => pod.metadata.labels?.[OWNER_LABEL] === ownerLabel({ uid }));
  if (writes) return { intents: [{ type: "EndRuns" }], wakeAt: now + SCALING };
  if (down.length === 0) return heldBy(observed, hidden);
  const intents = down.map((workload) => ({ type: "ScaleUp", workload, holder: uid }) as const);
  // A mover that is still on its way finds its Job gone.
  return { intents: [{ type: "EndRuns" }, { type: "Scale", intents }], wakeAt: now };
}

/** Nobody else knows that these are to come back. */
function heldBy(
  { restore, api, now }: RestoreView,
  hidden: readonly HiddenWorkload[],
): Decision<RestoreState> {
  const problem = notBroughtBack(api, hidden);
  const readyState = readyStateOf(problem);
  return {
    status: { ...restore.status, conditions: conditionsFor(restore, readyState, [], now) },
    intents: [{ type: "EndRuns" }],
    events: newsOf(restore, readyState),
    wakeAt: wakeFor(problem, now),
  };
}
