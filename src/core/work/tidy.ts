import { hasEnded } from "./mover_container.ts";
import type { ObservedRun } from "./observed_run.ts";
import type { RunIntent } from "./task_decision.ts";

/** Whether anything of the run may still work. */
export function isLive({ pod }: ObservedRun): boolean {
  return pod !== undefined && !hasEnded(pod);
}

/**
 * What is to be done about a run whose end is in the record. While a pod is there, nobody can delete the volumes that it
 * mounts, and one that only one pod may use is taken: so it goes at once.
 */
export function tidyUp(run: ObservedRun): readonly RunIntent[] {
  const { job } = run;
  if (!job || job.metadata.deletionTimestamp) return reapIfDead(run);
  if (isLive(run)) return [...reapIfDead(run), ...endIfRunning(run)];
  return [{ type: "Remove", job }];
}

/** A pod that was told to end, on a node that will never say that it has. */
export function reapIfDead({ job, pod, overdue }: ObservedRun): readonly RunIntent[] {
  return pod && overdue?.node === "Dead" ? [{ type: "Reap", job, pod }] : [];
}

function endIfRunning({ job, pod }: ObservedRun): readonly RunIntent[] {
  return job && !job.spec?.suspend && !pod?.metadata.deletionTimestamp ? [{ type: "Cancel", job }] : [];
}
