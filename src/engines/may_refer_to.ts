import type { Snapshot } from "../wire/snapshot.ts";
import type { SnapshotSettings } from "../wire/work.ts";

/** Whether an earlier snapshot may stand for an identical one that is not made. */
export function mayReferTo(
  { run }: Pick<Snapshot, "run">,
  { identicalTo }: Pick<SnapshotSettings, "identicalTo">,
): boolean {
  return identicalTo === undefined || (run !== undefined && identicalTo.includes(run));
}
