import type { RunRecord } from "../../../core/work/run_record.ts";
import type { BackupRepository } from "../../../kinds/velero/generated/backup_repository.ts";
import type { PodVolumeBackup } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { isRecord } from "../../../lib/json.ts";
import { soonest } from "../../../lib/soonest.ts";
import { leftoversDue, leftoversOf } from "../data_path/left_behind.ts";

export const PURGE_ANNOTATION = "holdfast.dev/purge";
/** In one go: what is more comes with the next. */
const MOST_RUNS = 50;
const AGAIN = 3_600_000;

/** What is to be deleted from a repository, which no Velero server knows of. */
export interface Purge {
  /** Of backups that failed or were cancelled: everything that they left. */
  readonly runs: readonly string[];
  /** Of backups whose object is gone: what is beside a snapshot that is gone, too. */
  readonly companionsOf: readonly string[];
  /** ISO 8601. */
  readonly since: string;
  readonly record?: RunRecord;
  /** ISO 8601. It failed, and is not begun anew before. */
  readonly notBefore?: string;
}

export interface PurgeView {
  readonly memory: Purge | undefined;
  /** Those whose data is in the repository. */
  readonly backups: readonly PodVolumeBackup[];
  /** The runs of backups that have gone since the last look, and had a record beside their snapshot. */
  readonly gone: readonly string[];
  readonly now: number;
}

/** Pure: what to delete next, where nothing is being deleted; nothing, or not before `wakeAt`. */
export function nextPurge({ memory, backups, gone, now }: PurgeView): {
  readonly purge?: Purge;
  readonly wakeAt?: number;
} {
  const held = Date.parse(memory?.notBefore ?? "");
  const companionsOf = [...new Set([...(memory?.companionsOf ?? []), ...gone])].slice(0, MOST_RUNS);
  if (held > now) {
    // What has gone meanwhile is nowhere else.
    const more = memory && gone.length > 0 ? { purge: { ...memory, companionsOf } } : {};
    return { ...more, wakeAt: Math.min(held, now + AGAIN) };
  }
  const left = backups.filter((backup) => leftoversOf(backup).length > 0);
  const runs = left.filter((one) => leftoversDue(one) <= now).flatMap(leftoversOf);
  if (runs.length > 0 || companionsOf.length > 0)
    return { purge: { runs: runs.slice(0, MOST_RUNS), companionsOf, since: timestamp(now) } };
  const wakeAt = soonest(...left.map(leftoversDue).filter((due) => due > now));
  return wakeAt === undefined ? {} : { wakeAt };
}

/** Pure: what is remembered once it was tried in vain. */
export function afterFailure({ companionsOf, since }: Purge, now: number): Purge {
  return { runs: [], companionsOf, since, notBefore: timestamp(now + AGAIN) };
}

export function purgeOf({ metadata }: BackupRepository): Purge | undefined {
  try {
    const found: unknown = JSON.parse(metadata.annotations?.[PURGE_ANNOTATION] ?? "null");
    if (!isRecord(found) || !isTexts(found.runs) || !isTexts(found.companionsOf)) return undefined;
    return found as unknown as Purge;
  } catch {
    // Somebody else wrote it.
    return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
