import { timestamp } from "../../kube/write/timestamp.ts";
import type { Decision } from "../reconcile/decision.ts";
import { recordOf } from "../reconcile/records.ts";
import type { Claim } from "../volumes/claim_request.ts";
import {
  type HalfWritten,
  halfWritten,
  halfWrittenText,
  TARGET_INCOMPLETE,
} from "../volumes/half_written.ts";
import type { Restore, RestoreState, RestoreView } from "./restore.ts";
import { hasBegun, isOver } from "./restore_stage.ts";
import { RESTORE } from "./restore_tasks.ts";
import { isIncomplete, makesWhole } from "./target_incomplete.ts";

/**
 * The decision, with what the existing claim itself says of this restore from before the first byte until the data is
 * whole: that stays when the restore is deleted.
 */
export function markedClaim(
  { restore, claim, now }: RestoreView & { readonly claim?: Claim | undefined },
  decision: Decision<RestoreState>,
): Decision<RestoreState> {
  const status = decision.status ?? restore.status;
  if (!restore.spec.target?.pvcRef || !claim || claim.metadata.deletionTimestamp || !status) return decision;
  const { uid } = status.target?.pvcRef ?? {};
  if (uid !== undefined && uid !== claim.metadata.uid) return decision;
  const mark = wantedMark({ ...restore, status }, halfWritten(claim), now);
  if (mark === undefined) return decision;
  const annotations = { [TARGET_INCOMPLETE]: mark };
  return { ...decision, intents: [{ type: "MarkClaim", claim, annotations }, ...decision.intents] };
}

/** What is written into the annotation; `null` takes it away, undefined leaves it as it is. */
function wantedMark(
  restore: Restore,
  present: HalfWritten | undefined,
  now: number,
): string | null | undefined {
  const { kind, metadata, status } = restore;
  if (isIncomplete(status) || hasBegun(recordOf(status, RESTORE))) {
    // One is enough, and two must not take turns.
    if (present) return undefined;
    const by = `${kind.toLowerCase()}/${metadata.name}`;
    return halfWrittenText({ by, since: timestamp(now), uid: metadata.uid });
  }
  if (!present) return undefined;
  const isSettled = present.uid === metadata.uid ? isOver({ status }) : makesWhole(restore, present.since);
  return isSettled ? null : undefined;
}
