import type { CleanUp } from "../../../core/volumes/staging/clean_up.ts";
import type { StagingIntent } from "../../../core/volumes/staging/staging_decision.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { Decision, Intent } from "../decision.ts";
import { recordsOf } from "../records.ts";
import { soonest } from "../soonest.ts";
import { STAGING } from "./staging_memory.ts";

/** Claims and snapshots are watched; what is behind them is not. */
export const LOOK_AGAIN = 5_000;

/** The decision, and with it the removal of what was staged: as long as something is left, the Backup stays. */
export function withClearing(
  decision: Decision<BackupStatus>,
  backup: Backup,
  cleaning: CleanUp | undefined,
  now: number,
): Decision<BackupStatus> {
  if (!cleaning) return decision;
  const letsGo = decision.intents.some(({ type }) => type === "LetGo");
  if (cleaning.done) {
    return letsGo ? decision : { ...decision, status: forgotten(decision.status ?? backup.status ?? {}) };
  }
  const others = decision.intents.filter(({ type }) => type !== "LetGo" && type !== "NoteKept");
  return {
    ...decision,
    intents: [...others, ...stage(cleaning.intents)],
    events: [...(letsGo ? [] : (decision.events ?? [])), ...warnings(cleaning)],
    wakeAt: soonest(decision.wakeAt, now + LOOK_AGAIN),
  };
}

export function stage(intents: readonly StagingIntent[]): readonly Intent[] {
  return intents.length === 0 ? [] : [{ type: "Stage", intents }];
}

function forgotten(status: BackupStatus): BackupStatus {
  const { [STAGING]: _, ...work } = recordsOf(status);
  return { ...status, work };
}

/** Told when the deletion is asked for: later nobody knows of what is behind it. */
function warnings({ intents, unseen }: CleanUp): readonly EventNote[] {
  if (!intents.some(({ type }) => type === "Delete")) return [];
  return unseen.map((message) => ({ type: "Warning", reason: "CopyMayRemain", message }));
}
