import { CANNOT_SCALE } from "../../../core/workloads/scaling/carry_out_scaling.ts";
import { type NamedWorkloads, observeWorkloads } from "../../../core/workloads/scaling/observe_users.ts";
import { holdersOf, scaledFrom } from "../../../core/workloads/scaling/scaling_marks.ts";
import {
  type HiddenWorkload,
  hiddenText,
  scalingRule,
  type Workload,
} from "../../../core/workloads/scaling/workload.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Reader } from "../../../kube/client.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import type { Decision } from "../decision.ts";
import { blocked, type Problem } from "../problem.ts";
import { soonest } from "../soonest.ts";
import { conditionsFor, wakeFor } from "../verdicts.ts";
import { standOfEnd } from "./restore_progress.ts";
import { isOver, isWriting } from "./restore_stage.ts";

type Remembered = NonNullable<RestoreStatus["scaledWorkloads"]>;

/** Until workloads that are being scaled are looked at again. */
export const SCALING = 2_000;

/** What a Restore has scaled down, as it is now. */
export function observeScaled(
  reader: Pick<Reader, "get" | "list">,
  { metadata, status }: Restore,
  signal: AbortSignal,
): Promise<NamedWorkloads> {
  const names = (status?.scaledWorkloads ?? []).map(({ apiVersion = "apps/v1", kind, name }) => ({
    apiVersion,
    kind,
    name,
  }));
  if (names.length === 0) return Promise.resolve({ seen: [], hidden: [] });
  return observeWorkloads(reader, names, metadata.namespace ?? "", { signal });
}

interface Scaled {
  readonly restore: Restore;
  /** What was scaled down for it, as it is now, and what of it we may not read. */
  readonly scaled: readonly Workload[];
  readonly hidden?: readonly HiddenWorkload[];
  readonly now: number;
}

/** What was remembered, and what is about to be scaled down, with the number that it was given last. */
export function remembering(before: Remembered = [], workloads: readonly Workload[]): Remembered {
  const named = ({ kind, name }: Remembered[number]) => `${kind}/${name}`;
  const more = workloads.map(({ resource, object, replicas }) => ({
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: object.metadata.name,
    replicas: replicas > 0 ? replicas : (scaledFrom(object) ?? replicas),
  }));
  return [...new Map([...before, ...more].map((one) => [named(one), one])).values()];
}

/**
 * The decision, with what was scaled down brought back once the restore is over, whether it succeeded or not. It is
 * forgotten when it is seen to be back.
 */
export function broughtBack(
  { restore, scaled, hidden = [], now }: Scaled,
  decision: Decision<RestoreStatus>,
): Decision<RestoreStatus> {
  const { uid, finalizers = [] } = restore.metadata;
  const status = decision.status ?? restore.status;
  const held = finalizers.includes(SCALED_WORKLOADS);
  if (!status || !isOver({ status }) || isWriting({ status }) || !(status.scaledWorkloads || held))
    return decision;
  const down = scaled.filter(({ object }) => holdersOf(object).includes(uid));
  if (down.length > 0) {
    const intents = down.map((workload) => ({ type: "ScaleUp", workload, holder: uid }) as const);
    return {
      ...decision,
      intents: [...decision.intents, { type: "Scale", intents }],
      wakeAt: Math.min(decision.wakeAt ?? Number.POSITIVE_INFINITY, now + SCALING),
    };
  }
  if (hidden.length > 0) {
    const problem = notBroughtBack(hidden);
    const { reason, message } = problem;
    const events = [...(decision.events ?? []), { type: "Warning", reason, message } as const];
    return { ...decision, events, wakeAt: soonest(decision.wakeAt, wakeFor(problem, now)) };
  }
  const { scaledWorkloads: _, ...rest } = status;
  const letGo = { type: "LetGo", finalizer: SCALED_WORKLOADS } as const;
  return {
    ...decision,
    status: { ...rest, ...standingAgain(restore, rest, now) },
    intents: [...decision.intents, ...(held ? [letGo] : [])],
  };
}

/** Whether something could not be scaled when that was tried last. */
export function isScalingRefused({ conditions }: RestoreStatus = {}): boolean {
  return conditions?.some(({ type, reason }) => type === "Ready" && reason === CANNOT_SCALE) ?? false;
}

/** What could not be scaled for a while hid how the restore had ended. */
function standingAgain(
  restore: Restore,
  status: RestoreStatus,
  now: number,
): Pick<RestoreStatus, "conditions"> {
  if (!isScalingRefused(status)) return {};
  return { conditions: conditionsFor({ ...restore, status }, standOfEnd(status), [], now) };
}

/** What we may not read any more is not known to be back. */
export function notBroughtBack(hidden: readonly HiddenWorkload[]): Problem {
  const names = hidden.map(hiddenText).join(", ");
  const rule = scalingRule(hidden.map(({ resource }) => resource));
  const message = `${names} was scaled down for this restore, and cannot be brought back: it may not be read. Grant the operator ${rule}; or scale it up yourself, as status.scaledWorkloads says, and remove the finalizer ${SCALED_WORKLOADS}.`;
  return blocked("WorkloadHidden", message);
}
