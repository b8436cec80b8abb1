import type { GitOpsOwner } from "../gitops/observe_gitops.ts";
import { pausedFor } from "../gitops/pause.ts";
import type { ScalingIntent } from "./scaling_intent.ts";
import { holdersOf } from "./scaling_marks.ts";
import type { Workload } from "./workload.ts";

/** What brings back all that is still held for somebody: workloads first, then what goes on applying them. */
export function bringingBack(
  scaled: readonly Workload[],
  paused: readonly GitOpsOwner[],
  holder: string,
): readonly ScalingIntent[] {
  return [
    ...scaled
      .filter(({ object }) => holdersOf(object).includes(holder))
      .map((workload) => ({ type: "ScaleUp", workload, holder }) as const),
    ...paused
      .filter(({ object }) => pausedFor(object).includes(holder))
      .map((owner) => ({ type: "Resume", owner, holder }) as const),
  ];
}
