import { isHeld } from "../../../core/backup/backup_annotations.ts";
import type { PrunePause } from "../../../core/policy/prune_guard.ts";
import { planRetention } from "../../../core/policy/retention.ts";
import { keepsSome, type RetentionRules } from "../../../core/policy/retention_rules.ts";
import { spanMs } from "../../../core/policy/time_span.ts";
import { volumePause } from "../../../core/retention/volume_pause.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { Target } from "./claiming.ts";

type Retention = NonNullable<Target["retention"]>;

/** So many scheduled backups that failed stay to be looked at. */
const FAILED_KEPT = 3;

/** The rules that count snapshots, under the engine room's names. */
function retentionRules({
  keepLast: keepLatest,
  keepYearly: keepAnnual,
  keepWithin: _,
  ...others
}: Retention): RetentionRules {
  return { ...others, keepLatest, keepAnnual };
}

/** Whether there is no rule that keeps anything. */
export function keepsNothing(retention: Retention): boolean {
  return !keepsSome(retentionRules(retention)) && spanMs(retention.keepWithin ?? "") === 0;
}

/** Why the good backups of one PVC in one target stay, whatever the retention says: it has shrunk, or backups fail. */
export function pruningPause(backups: readonly ResticBackup[]): PrunePause | undefined {
  const ended = backups.filter(({ status }) => status?.completionTime !== undefined);
  return volumePause(
    ended.map((one) => ({
      name: one.metadata.name,
      at: endOf(one),
      succeeded: one.status?.phase === "Completed",
      bytes: one.status?.size,
      acknowledged: one.metadata.annotations?.[ANNOTATIONS.acknowledgeShrink] === "true",
    })),
  );
}

/** The scheduled backups of one PVC in one target that go. Manual ones stay, and so does the newest success. */
export function surplusOf(
  backups: readonly ResticBackup[],
  retention: Retention | undefined,
  now: number,
): readonly ResticBackup[] {
  const scheduled = backups.filter(
    ({ spec, metadata }) => spec.backupType === "scheduled" && !metadata.deletionTimestamp,
  );
  const failed = scheduled
    .filter((one) => one.status?.phase === "Failed" && !isHeld(one))
    .toSorted((a, b) => endOf(b) - endOf(a))
    .slice(FAILED_KEPT);
  if (pruningPause(backups)) return failed;
  const completed = scheduled.filter(({ status }) => status?.phase === "Completed");
  return [...failed, ...unkept(completed, retention, now)];
}

function unkept(
  completed: readonly ResticBackup[],
  retention: Retention | undefined,
  now: number,
): readonly ResticBackup[] {
  if (!retention || keepsNothing(retention)) return [];
  const given = retentionRules(retention);
  const within = spanMs(retention.keepWithin ?? "");
  // With a span of time alone, everything older goes but the newest.
  const rules = keepsSome(given) ? given : { keepLatest: 1 };
  const verdicts = planRetention({
    snapshots: completed.map((one) => ({
      id: one.metadata.name,
      at: endOf(one),
      origin: "scheduled",
      succeeded: true,
      held: isHeld(one) || endOf(one) > now - within,
    })),
    rules,
    now,
  });
  const going = new Set(verdicts.filter(({ kept }) => !kept).map(({ id }) => id));
  return completed.filter(({ metadata }) => going.has(metadata.name));
}

function endOf({ metadata, status }: ResticBackup): number {
  return Date.parse(status?.completionTime ?? metadata.creationTimestamp);
}
