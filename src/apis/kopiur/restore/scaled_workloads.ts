import { observeWorkloads } from "../../../core/workloads/scaling/observe_users.ts";
import { holdersOf, scaledFrom } from "../../../core/workloads/scaling/scaling_marks.ts";
import type { Workload } from "../../../core/workloads/scaling/workload.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Reader } from "../../../kube/client.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import type { Decision } from "../decision.ts";
import { isUnfinished, recordOf } from "../records.ts";
import { RESTORE } from "./restore_tasks.ts";

type Remembered = NonNullable<RestoreStatus["scaledWorkloads"]>;

/** Until workloads that are being scaled are looked at again. */
export const SCALING = 2_000;

/** What a Restore has scaled down, as it is now. */
export function observeScaled(
  reader: Pick<Reader, "get" | "list">,
  { metadata, status }: Restore,
  signal: AbortSignal,
): Promise<readonly Workload[]> {
  const names = (status?.scaledWorkloads ?? []).map(({ apiVersion = "apps/v1", kind, name }) => ({
    apiVersion,
    kind,
    name,
  }));
  if (names.length === 0) return Promise.resolve([]);
  return observeWorkloads(reader, names, metadata.namespace ?? "", { signal });
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
  { restore, scaled, now }: { restore: Restore; scaled: readonly Workload[]; now: number },
  decision: Decision<RestoreStatus>,
): Decision<RestoreStatus> {
  const { uid, finalizers = [] } = restore.metadata;
  const status = decision.status ?? restore.status;
  const over = status?.phase === "Completed" || status?.phase === "Failed";
  const record = recordOf(status, RESTORE);
  const writes = isUnfinished(record) && record.job !== undefined;
  const held = finalizers.includes(SCALED_WORKLOADS);
  if (!status || !over || writes || !(status.scaledWorkloads || held)) return decision;
  const down = scaled.filter(({ object }) => holdersOf(object).includes(uid));
  if (down.length > 0) {
    const intents = down.map((workload) => ({ type: "ScaleUp", workload, holder: uid }) as const);
    return {
      ...decision,
      intents: [...decision.intents, { type: "Scale", intents }],
      wakeAt: Math.min(decision.wakeAt ?? Number.POSITIVE_INFINITY, now + SCALING),
    };
  }
  const { scaledWorkloads: _, ...rest } = status;
  const letGo = { type: "LetGo", finalizer: SCALED_WORKLOADS } as const;
  return { ...decision, status: rest, intents: [...decision.intents, ...(held ? [letGo] : [])] };
}
