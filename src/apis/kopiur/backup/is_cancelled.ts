import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { Stand } from "../verdicts.ts";

/** Somebody wants the Backup to end. */
export function isCancelled({ metadata }: Backup): boolean {
  return metadata.annotations?.[ANNOTATIONS.cancel] === "true";
}

/** How a Backup stands that came to its end so. */
export const CANCELLED: Stand = {
  state: "stalled",
  reason: REASONS.cancelled,
  message: "The backup was cancelled. Create another one when it is wanted.",
};
