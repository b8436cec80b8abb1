import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { mergeConditions } from "../../../kube/write/conditions.ts";
import type { Decision } from "../decision.ts";
import { soonest } from "../soonest.ts";
import { isSaid } from "../verdicts.ts";
import { clearance, LOOK_FOR_USERS } from "./in_place.ts";
import { asItStands } from "./reserving.ts";
import { targetName } from "./resolution.ts";
import { isOver, isWriting } from "./restore_stage.ts";
import { isScalingRefused } from "./scaled_workloads.ts";

/**
 * The decision, with what follows when somebody gets the volume while it is written: a run that has begun is not
 * stopped, but what was scaled down goes down again, and that there was somebody stays said.
 */
export function watched(
  observed: { readonly restore: Restore; readonly use?: UseDecision; readonly now: number },
  decision: Decision<RestoreStatus>,
): Decision<RestoreStatus> {
  const { restore, use, now } = observed;
  if (!decision.status || !use || !isWriting(restore)) return decision;
  const over = isOver(decision);
  const again = over ? {} : { wakeAt: soonest(decision.wakeAt, now + LOOK_FOR_USERS) };
  const cleared = use.type === "Scale" && !over ? clearance(observed, use) : undefined;
  const { scaledWorkloads } = cleared ?? {};
  const said = cleared && isScalingRefused(restore.status) ? asItStands(observed, decision) : decision;
  const { status = {}, events = [] } = said;
  return {
    ...said,
    ...again,
    status: { ...status, ...(scaledWorkloads ? { scaledWorkloads } : {}), ...told(observed, status, use) },
    // Where a workload refuses to be scaled, the run is looked after all the same.
    intents: [...decision.intents, ...(cleared?.intents ?? [])],
    events: [...events, ...news(observed, use)],
  };
}

function told(
  { restore, now }: { readonly restore: Restore; readonly now: number },
  { conditions = [] }: RestoreStatus,
  use: UseDecision,
): Pick<RestoreStatus, "conditions"> {
  const message = messageOf(restore, use);
  if (message === undefined) return {};
  const { generation } = restore.metadata;
  const wanted = { type: CONDITIONS.volumeUsedMeanwhile, status: "True", reason: "Used", message } as const;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return { conditions: mergeConditions(conditions, [{ ...wanted, ...observed }], now) };
}

function news({ restore }: { readonly restore: Restore }, use: UseDecision): Decision<never>["events"] & {} {
  const type = CONDITIONS.volumeUsedMeanwhile;
  const message = messageOf(restore, use);
  const before = restore.status?.conditions?.find((one) => one.type === type);
  if (message === undefined || (before && isSaid(message, before.message))) return [];
  return [{ type: "Warning", reason: type, message }];
}

function messageOf(restore: Restore, use: UseDecision): string | undefined {
  if ((use.type !== "InUse" && use.type !== "Scale") || use.who === undefined) return undefined;
  const scaled = use.type === "Scale" ? " It is scaled down again." : "";
  return `${use.who} came back to PersistentVolumeClaim ${targetName(restore) ?? ""} while the data was written, so that neither is sure to have what it should.${scaled} Suspend what starts it (GitOps, an autoscaler), and restore once more.`;
}
