import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";

type DeletionPolicy = NonNullable<Backup["spec"]["deletionPolicy"]>;

/** Somebody wants the Backup to end. */
export function isCancelled({ metadata }: Backup): boolean {
  return metadata.annotations?.[ANNOTATIONS.cancel] === "true";
}

/** Somebody wants the Backup to stay, whatever retention says. */
export function isHeld({ metadata }: Backup): boolean {
  return metadata.annotations?.[ANNOTATIONS.hold] === "true";
}

/** Somebody wants the Backup to go without its snapshots. */
export function skipsCleanup({ metadata }: Backup): boolean {
  return metadata.annotations?.[ANNOTATIONS.skipSnapshotCleanup] === "true";
}

/** What becomes of the snapshots when the Backup is deleted. `otherwise`: where it does not say so itself. */
export function deletionPolicyOf({ spec }: Backup, otherwise: DeletionPolicy | undefined): DeletionPolicy {
  return spec.deletionPolicy ?? otherwise ?? "Delete";
}
