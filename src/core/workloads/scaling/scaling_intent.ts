import type { Workload } from "./workload.ts";

/** Something to be done with a workload. Each may be done again. */
export type ScalingIntent =
  /** It has no pods as long as the holder needs it so; what it had is noted on it. */
  | { readonly type: "ScaleDown"; readonly workload: Workload; readonly holder: string }
  /** The holder needs it down no longer: without another one, it is as it was. */
  | { readonly type: "ScaleUp"; readonly workload: Workload; readonly holder: string };
