import type { CleanUp } from "../../../core/volumes/staging/clean_up.ts";
import { type VolumeSnapshot, VolumeSnapshots } from "../../../core/volumes/staging/snapshot_kinds.ts";
import type { StagingIntent } from "../../../core/volumes/staging/staging_decision.ts";

/**
 * A snapshot that is deleted while it is being taken may stay for a quarter of an hour: the drivers' sidecar passes
 * the deletion over, and looks again only then. So it is left alone until it is there, as long as that may take.
 */
export function patientCleanUp(cleaning: CleanUp, deadline: number, now: number): CleanUp {
  if (now >= deadline) return cleaning;
  return { ...cleaning, intents: cleaning.intents.filter((intent) => !endsCapture(intent)) };
}

function endsCapture(intent: StagingIntent): boolean {
  if (intent.type !== "Delete" || intent.resource.kind !== VolumeSnapshots.kind) return false;
  const { status } = intent.object as VolumeSnapshot;
  return !status?.readyToUse && !status?.error;
}
