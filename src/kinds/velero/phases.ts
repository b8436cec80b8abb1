/** The phases of a PodVolumeBackup or a PodVolumeRestore, in the order in which one usually goes through them. */
export const DATA_PATH_PHASES = [
  "New",
  "Accepted",
  "Prepared",
  "InProgress",
  "Canceling",
  "Canceled",
  "Completed",
  "Failed",
] as const;

export type DataPathPhase = (typeof DATA_PATH_PHASES)[number];

const FINAL: ReadonlySet<string> = new Set<DataPathPhase>(["Canceled", "Completed", "Failed"]);

/** Whether nothing more happens to an object of this phase. */
export function isFinal(phase: string | undefined): boolean {
  return phase !== undefined && FINAL.has(phase);
}

export const REPOSITORY_PHASES = ["New", "Ready", "NotReady"] as const;
export const LOCATION_PHASES = ["Available", "Unavailable"] as const;
