import type { EventNote } from "../../kube/write/events.ts";
import { soonest } from "../../lib/soonest.ts";
import type { Intent } from "../reconcile/decision.ts";
import { recordsOf } from "../reconcile/records.ts";
import type { CleanUp } from "../volumes/staging/clean_up.ts";
import type { StagingIntent } from "../volumes/staging/staging_decision.ts";
import type { BackupDecision, BackupObject, BackupState } from "./backup.ts";
import { STAGING } from "./staging_memory.ts";

/** Claims and snapshots are watched; what is behind them is not. */
export const LOOK_AGAIN = 5_000;

/**
 * The decision, and with it the removal of what was staged: as long as something is left, the object stays, and so does
 * all that comes with its end.
 */
export function withClearing<More extends { readonly type: string } = never>(
  decision: BackupDecision<More>,
  backup: BackupObject,
  cleaning: CleanUp | undefined,
  now: number,
): BackupDecision<More> {
  if (!cleaning) return decision;
  const letsGo = decision.intents.some(({ type }) => type === "LetGo");
  if (cleaning.done) {
    return letsGo ? decision : { ...decision, status: forgotten(decision.status ?? backup.status ?? {}) };
  }
  return {
    ...decision,
    intents: [...(letsGo ? [] : decision.intents), ...stage(cleaning.intents)],
    events: [...(letsGo ? [] : (decision.events ?? [])), ...warnings(cleaning)],
    wakeAt: soonest(decision.wakeAt, now + LOOK_AGAIN),
  };
}

export function stage(intents: readonly StagingIntent[]): readonly Intent[] {
  return intents.length === 0 ? [] : [{ type: "Stage", intents }];
}

function forgotten(status: BackupState): BackupState {
  const { [STAGING]: _, ...work } = recordsOf(status);
  return { ...status, work };
}

/** Told when the deletion is asked for: later nobody knows of what is behind it. */
function warnings({ intents, unseen }: CleanUp): readonly EventNote[] {
  if (!intents.some(({ type }) => type === "Delete")) return [];
  return unseen.map((message) => ({ type: "Warning", reason: "CopyMayRemain", message }));
}
