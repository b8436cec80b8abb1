import { type Job, Jobs, type Pod } from "../../../kube/builtin.ts";
import type { Change } from "../../../kube/cache/cache.ts";
import { hasEnded } from "../mover_container.ts";
import { isFinished } from "../state_of_run.ts";

/** Why a session is over, or about to be, told from a change of its Job or pod. Undefined while it goes on. */
export function sessionEnd(change: Change<Job | Pod>): string | undefined {
  if (change.type === "removed") return `its ${change.previous.kind} is gone`;
  const { object } = change;
  if (object.metadata.deletionTimestamp) return `its ${object.kind} is being deleted`;
  const over = object.kind === Jobs.kind ? isFinished(object as Job) : hasEnded(object as Pod);
  return over ? "it has ended" : undefined;
}
