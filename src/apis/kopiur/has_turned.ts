import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { Change } from "../../kube/cache/cache.ts";
import { specChanged } from "../../kube/controller/spec_changed.ts";

/** Whether a Backup began, ended, goes or was edited: its progress alone concerns nobody but itself. */
export function hasTurned(change: Change<Backup>): boolean {
  return (
    change.type !== "updated" ||
    change.object.status?.phase !== change.previous.status?.phase ||
    specChanged(change)
  );
}
