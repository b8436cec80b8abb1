import type { EventNote } from "../../../kube/write/events.ts";
import { isBackup, type PodVolume } from "./pod_volume.ts";
import { VOLUME_PATH } from "./pod_volume_task.ts";

/** What Velero's data path calls the moments of its work. */
const REASONS = {
  InProgress: "Data-Path-Started",
  Canceling: "Data-Path-Canceling",
  Canceled: "Data-Path-Canceled",
  Completed: "Data-Path-Completed",
  Failed: "Data-Path-Failed",
} as const;

/** Pure: what is told of an object that has come to another phase; nothing, where that says nothing. */
export function dataPathEvent(before: string | undefined, object: PodVolume): EventNote | undefined {
  const { phase, message, startTimestamp } = object.status ?? {};
  if (phase === before || phase === undefined || !(phase in REASONS)) return undefined;
  const known = REASONS[phase as keyof typeof REASONS];
  // What ends before its data path has begun is told by its phase alone.
  const reason = startTimestamp ? known : phase;
  const type = phase === "Completed" || phase === "InProgress" ? "Normal" : "Warning";
  return { type, reason, message: phase === "Completed" ? resultOf(object) : message || `It is ${phase}.` };
}

/** The result of a data path, in the form that the document gives it. */
function resultOf(object: PodVolume): string {
  const place = { byPath: VOLUME_PATH, volumeMode: "Filesystem" };
  const { snapshotID } = (object.status ?? {}) as { readonly snapshotID?: string };
  // kopia makes an ordinary snapshot of an empty volume, too.
  return JSON.stringify(
    isBackup(object) ? { snapshotID, emptySnapshot: false, source: place } : { target: place },
  );
}
