import type { GitOpsOwner } from "../gitops/observe_gitops.ts";
import type { Workload } from "./workload.ts";

/** Something to be done with a workload, or with what would scale it otherwise. Each may be done again. */
export type ScalingIntent =
  /** It has no pods as long as the holder needs it so; what it had is noted on it. */
  | { readonly type: "ScaleDown"; readonly workload: Workload; readonly holder: string }
  /** The holder needs it down no longer: without another one, it is as it was. */
  | { readonly type: "ScaleUp"; readonly workload: Workload; readonly holder: string }
  /** It leaves its workloads alone as long as the holder needs it so. */
  | { readonly type: "Pause"; readonly owner: GitOpsOwner; readonly holder: string }
  /** It goes on, unless somebody else needs it paused or had paused it before. */
  | { readonly type: "Resume"; readonly owner: GitOpsOwner; readonly holder: string };
