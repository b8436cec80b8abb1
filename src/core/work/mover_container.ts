import type { ContainerStateTerminated, ContainerStateWaiting } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../kube/builtin.ts";
import { MOVER_CONTAINER } from "./mover_job.ts";

/** Where a pod's mover is. */
export type MoverContainer =
  | { readonly type: "waiting"; readonly waiting: ContainerStateWaiting }
  | { readonly type: "running"; readonly startedAt?: string }
  /** `terminated` is absent where the pod ended and nobody saw how. */
  | { readonly type: "ended"; readonly terminated?: ContainerStateTerminated };

export function moverContainer({ status }: Pod): MoverContainer {
  const state = status?.containerStatuses?.find(({ name }) => name === MOVER_CONTAINER)?.state;
  if (state?.terminated) return { type: "ended", terminated: state.terminated };
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return { type: "ended" };
  if (!state?.running) return { type: "waiting", waiting: state?.waiting ?? {} };
  const { startedAt } = state.running;
  return { type: "running", ...(startedAt === undefined ? {} : { startedAt }) };
}

/** Whether nothing of the pod runs any more. */
export function hasEnded(pod: Pod): boolean {
  return moverContainer(pod).type === "ended";
}
