import type { Decision } from "../../../core/reconcile/decision.ts";
import { conditionsFor, type ReadyState, readyStateOf } from "../../../core/reconcile/ready_state.ts";
import { ARTIFACT } from "../../../kinds/cozystack/finalizers.ts";
import type { Backup, BackupStatus } from "../../../kinds/cozystack/generated/backup.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { OwnIntent, Step } from "./driver.ts";

/** When a failed deletion is tried again, in milliseconds. */
const AGAIN = 300_000;

/** What a step of the deletion of its data means for a Backup: it goes once the data is gone, and not before. */
export function decideRemoved(object: Backup, step: Step, now: number): Decision<BackupStatus, OwnIntent> {
  if (step.type === "Succeeded") {
    // The object is gone then, and with it all that says what became of the data.
    const event = { type: "Normal", reason: "BackupRemoved", message: step.message } as const;
    return { intents: [...(step.intents ?? []), { type: "LetGo", finalizer: ARTIFACT }], events: [event] };
  }
  const { notBefore: _, ...state } = object.status?.driverState ?? {};
  const { message } = step.type === "Waiting" ? step.problem : step;
  const written = (readyState: ReadyState, driverState: Readonly<Record<string, string>>): BackupStatus => ({
    ...object.status,
    phase: "Deleting",
    message,
    driverState,
    conditions: [...conditionsFor(object, readyState, [], now)],
  });
  switch (step.type) {
    case "Running": {
      const status = written({ state: "reconciling", reason: "Deleting", message }, step.state ?? state);
      return { status, intents: step.intents ?? [], wakeAt: step.wakeAt };
    }
    case "Waiting":
      return { status: written(readyStateOf(step.problem), state), intents: [], wakeAt: now + AGAIN };
    case "Failed": {
      // What was begun is left behind: the next round begins anew.
      const problem = { class: "structural", reason: "DeletionFailed", message } as const;
      const round = String(Number(state.round ?? "1") + 1);
      const status = written(readyStateOf(problem), { round, notBefore: timestamp(now + AGAIN) });
      return { status, intents: step.intents ?? [], wakeAt: now + AGAIN };
    }
  }
}
