import { conditionOf, heldUp, refOf, type ShownObject } from "./shown_object.ts";
import type { ActivityView } from "./view.ts";

/** How far a run is. In the phases in which it waits, all that it waits for is said. */
export function activityOf(run: ShownObject, waiting: readonly string[] = ["Pending"]): ActivityView {
  const phase = run.status?.phase ?? "Pending";
  const reconciling = conditionOf(run, "Reconciling");
  const waits = waiting.includes(phase) && reconciling?.status === "True";
  return { object: refOf(run), phase, why: waits ? reconciling.message : heldUp(run) };
}
