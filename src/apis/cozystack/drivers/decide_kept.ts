import type { Decision } from "../../../core/reconcile/decision.ts";
import { blocked } from "../../../core/reconcile/problem.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf } from "../../../core/reconcile/ready_state.ts";
import type { Backup, BackupStatus } from "../../../kinds/cozystack/generated/backup.ts";

/** How often somebody looks whether data is still there, in milliseconds. */
const PERIOD = 3_600_000;

const GONE = "DataGone";

/** Whether data was there once, and so may go, or come back. */
export function isLookedAt({ status }: Backup): boolean {
  return status?.phase === "Ready" || wasGone(status);
}

function wasGone(status: BackupStatus | undefined): boolean {
  return status?.conditions?.some(({ type, reason }) => type === "Ready" && reason === GONE) ?? false;
}

/** A Backup whose data is gone cannot be restored, and says so; should the data come back, it can be again. */
export function decideKept(object: Backup, gone: string | undefined, now: number): Decision<BackupStatus> {
  const { status } = object;
  const wakeAt = now + PERIOD;
  if ((gone !== undefined) === wasGone(status)) return { intents: [], wakeAt };
  const state: ReadyState =
    gone === undefined
      ? { state: "ready", reason: "Ready", message: "The Backup can be restored." }
      : readyStateOf(blocked(GONE, `${gone}. Nothing can be restored from it: delete this Backup.`));
  const { message: _, ...kept } = status ?? {};
  return {
    status: {
      ...kept,
      ...(gone === undefined ? { phase: "Ready" } : { phase: "Failed", message: state.message }),
      conditions: [...conditionsFor(object, state, [], now)],
    },
    events: newsOf(object, state),
    intents: [],
    wakeAt,
  };
}
