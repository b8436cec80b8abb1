import { REASONS } from "../../kinds/kopiur/reasons.ts";
import { conditionOf, type NativeObject } from "./kinds.ts";

/** What a run says of itself while it goes on, or waits for its turn, or for what is given up when it takes too long. */
const GOES_ON: readonly string[] = [
  REASONS.queued,
  ...["Preparing", "Running", "RunningHooks", "Settling", "Delegated", "HandingOver"],
  ...["SnapshotPending", "SnapshotGoing", "GroupSnapshotPending", "GroupSnapshotGoing"],
  ...["CopyPending", "CopyGoing", "SourceBusy"],
];

/** What is in the way of a run that has not ended; undefined while it goes on as it should. */
export function heldUp(run: NativeObject): string | undefined {
  const reconciling = conditionOf(run, "Reconciling");
  if (reconciling?.status !== "True" || GOES_ON.includes(reconciling.reason)) return undefined;
  return reconciling.message;
}
