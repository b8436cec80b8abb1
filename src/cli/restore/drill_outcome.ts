import { CONDITIONS } from "../../core/reconcile/condition_types.ts";
import { conditionOf } from "../../core/view/shown_object.ts";
import { agoText } from "../../core/view/times_text.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { filesText } from "../files_text.ts";

/** What a drill of one volume showed. */
export interface DrillOutcome {
  /** Why the backup would not bring the volume back; undefined where it would. */
  readonly problem?: string;
  /** What came back, and what of it was not as it was. */
  readonly lines: readonly string[];
}

export interface DrillFacts {
  /** As namespace/name. */
  readonly volume: string;
  /** The Backup that was likely to be taken. */
  readonly backup?: Backup | undefined;
  readonly now: number;
}

/** Compares what a restore brought back with what the snapshot holds. */
export function drillOutcome(restore: Restore, { volume, backup, now }: DrillFacts): DrillOutcome {
  const { resolved, progress, losses = [] } = restore.status ?? {};
  const { bytesRestored = 0, filesRestored = 0 } = progress ?? {};
  const problem = problemOf(restore);
  const whole = resolved?.sizeBytes === undefined ? "" : ` of ${bytesText(resolved.sizeBytes)}`;
  const isOf = backup?.status?.snapshots?.some((one) => one.kopiaSnapshotID === resolved?.snapshotID);
  const from = isOf ? `backup/${backup?.metadata.name}` : `snapshot ${resolved?.snapshotID ?? "unknown"}`;
  const age = agoText(resolved?.snapshotTime, now);
  return {
    ...(problem === undefined ? {} : { problem }),
    lines: [
      `${volume}: the drill ${problem === undefined ? "passed" : "FAILED"}: ${bytesText(bytesRestored)}${whole}, ${filesText(filesRestored)} from ${from}${age ? `, made ${age}` : ""}`,
      ...losses.map(({ kind, count, reason }) => `  not brought back: ${count} × ${kind}: ${reason}`),
    ],
  };
}

function problemOf(restore: Restore): string | undefined {
  const { resolved, progress, losses = [], incomplete } = restore.status ?? {};
  if (resolved?.noSnapshot) return "the repository holds no such snapshot";
  if (incomplete) return `the snapshot does not hold the whole volume: ${incomplete}`;
  const lost = losses.find(({ kind }) => kind === "Content");
  if (lost) return `${filesText(lost.count)} did not come back: ${lost.reason}`;
  if ((resolved?.sizeBytes ?? 0) > 0 && (progress?.bytesRestored ?? 0) === 0)
    return "nothing came back, and the snapshot is not empty";
  const restored = conditionOf(restore, CONDITIONS.restored);
  return restored?.reason === "Unreported" ? restored.message : undefined;
}
