import type { Decision } from "../reconcile/decision.ts";
import { conditionsFor, newsOf, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { OWNER_LABEL, ownerLabel } from "../work/run_labels.ts";
import { bringingBack } from "../workloads/scaling/bringing_back.ts";
import { observeUsers, type VolumeUse } from "../workloads/scaling/observe_users.ts";
import type { HiddenWorkload } from "../workloads/scaling/workload.ts";
import { type HeldBack, notBroughtBack, observeHeldBack, SCALING } from "./in_place.ts";
import { type Restore, type RestoreState, type RestoreView, targetName } from "./restore.ts";
import type { RestorePorts } from "./restore_ports.ts";

export interface ObservedRestoreDeletion extends RestoreView, HeldBack {
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
  return { ...base, ...(await observeHeldBack(client, restore, signal)), users };
}

/** A restore that goes brings back what it has scaled down, as soon as its mover has left the volume. */
export function decideRestoreDeletion(observed: ObservedRestoreDeletion): Decision<RestoreState> {
  const { restore, api, scaled, paused = [], hidden = [], users, namespaceGoes, now } = observed;
  const { finalizer } = api;
  const { uid, finalizers = [] } = restore.metadata;
  if (!finalizers.includes(finalizer)) return { intents: [] };
  // Workloads go with their namespace; what applies them may be in another one, and stays.
  const intents = bringingBack(namespaceGoes ? [] : scaled, paused, uid);
  if (namespaceGoes || (intents.length === 0 && hidden.length === 0)) {
    const resumed = intents.length > 0 ? [{ type: "Scale", intents } as const] : [];
    return { intents: [...resumed, { type: "LetGo", finalizer }] };
  }
  const writes = users.some(({ pod }) => pod.metadata.labels?.[OWNER_LABEL] === ownerLabel({ uid }));
  if (writes) return { intents: [{ type: "EndRuns" }], wakeAt: now + SCALING };
  if (intents.length === 0) return heldBy(observed, hidden);
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
