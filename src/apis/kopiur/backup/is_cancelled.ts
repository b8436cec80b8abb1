import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";

/** Somebody wants the Backup to end. */
export function isCancelled({ metadata }: Backup): boolean {
  return metadata.annotations?.[ANNOTATIONS.cancel] === "true";
}
