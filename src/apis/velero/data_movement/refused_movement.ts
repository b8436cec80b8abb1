import type { DataMovement } from "../../../kinds/velero/data_movement.ts";
import { DATA_MOVEMENT } from "../../../kinds/velero/finalizers.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { type Written, writtenOf } from "../write_together.ts";

/** The names under which Velero's own data mover is asked for. */
const OWN_MOVER: readonly string[] = ["", "velero"];

/**
 * Pure: what becomes of a DataUpload or DataDownload; nothing, where it is somebody else's. Without an answer the
 * backup or restore would wait for hours. `orphaned`: the agent that had begun it is gone.
 */
export function refusedMovement(
  object: DataMovement,
  now: number,
  { orphaned = false }: { readonly orphaned?: boolean } = {},
): Written | undefined {
  const { spec, status } = object;
  if (!OWN_MOVER.includes(spec?.datamover ?? "")) return undefined;
  const present = writtenOf(object);
  const free = { ...present, finalizers: present.finalizers.filter((one) => one !== DATA_MOVEMENT) };
  if (isFinal(status?.phase)) return free;
  if (isBegun(object) && !orphaned) return undefined;
  const cancelled = spec?.cancel === true || object.metadata.deletionTimestamp !== undefined;
  return {
    ...free,
    status: {
      ...present.status,
      phase: cancelled ? "Canceled" : "Failed",
      completionTimestamp: timestamp(now),
      message: cancelled ? "Canceled: nothing works on it." : messageFor(object),
    },
  };
}

/** What a node agent of Velero's has begun is for that one to end. */
export function isBegun({ spec, status }: DataMovement): boolean {
  const { phase = "New" } = status ?? {};
  return OWN_MOVER.includes(spec?.datamover ?? "") && phase !== "New" && !isFinal(phase);
}

function messageFor({ kind }: DataMovement): string {
  const what =
    kind === "DataUpload" ? "the upload of a volume snapshot" : "the download of a volume snapshot";
  const way =
    kind === "DataUpload"
      ? "Back the volume up through its files instead, with --default-volumes-to-fs-backup and without --snapshot-move-data"
      : "Restore this backup with Velero's node agent";
  return `Nothing in this cluster does ${what}: Holdfast is the node agent here, and moves the files of pod volumes. ${way}, or name another data mover.`;
}
