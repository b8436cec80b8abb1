import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { lastGoodOf, newestOf } from "../../../core/view/joined.ts";
import { complaintOf, conditionOf, heldUp, refOf } from "../../../core/view/shown_object.ts";
import { agoText } from "../../../core/view/times_text.ts";
import type { ProtectionView, SnapshotView } from "../../../core/view/view.ts";
import { type HalfWritten, halfWritten } from "../../../core/volumes/half_written.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { claimsOf, configOf, groupedBy, planKeys, type Seen, scheduledAs, shownClaims } from "./seen.ts";
import { endOf, snapshotsIn } from "./snapshots.ts";

/** A run that is this late was not only waiting for its turn: nobody makes Backups. */
const LATE = 15 * 60_000;

/** What is known of the protection of each claim that a BackupConfig or a Backup names. */
export function protectionsIn(seen: Seen, now: number): readonly ProtectionView[] {
  const configs = groupedBy(seen.configs, claimsOf);
  const snapshots = groupedBy(snapshotsIn(seen), ({ claim }) => [claim]);
  const schedules = groupedBy(seen.schedules, (schedule) => [configOf(schedule)]);
  const broken = groupedBy(seen.restores.filter(leftIncomplete), targetKeys);
  const known = new Set(seen.restores.map(({ metadata }) => metadata.uid));
  const marked = new Map<string, HalfWritten | undefined>(
    seen.claims.map((claim) => [keyOf(claim.metadata), halfWritten(claim)]),
  );
  const unsuccessful = groupedBy(seen.backups.filter(isUnsuccessful), planKeys);
  return shownClaims(seen).flatMap((claim): readonly ProtectionView[] => {
    const [ofConfigs, taken] = [configs.get(claim) ?? [], snapshots.get(claim) ?? []];
    const lastGood = lastGoodOf(taken);
    const mark = marked.get(claim);
    const left = [
      ...(broken.get(claim) ?? []).map(({ metadata }) => `restore/${metadata.name}`),
      // One that is there says it itself, where it is so.
      ...(mark && !known.has(mark.uid) ? [mark.by] : []),
    ].map(halfWrittenBy);
    if (ofConfigs.length === 0)
      return lastGood || left.length > 0 ? [{ claim, level: "no", by: [], lastGood, wrong: left }] : [];
    const origins = [...new Set(ofConfigs.map(scheduledAs))];
    const about = {
      claim,
      halfWritten: left,
      taken,
      lastGood,
      configs: ofConfigs,
      schedules: origins.flatMap((origin) => schedules.get(origin) ?? []),
      unsuccessful: ofConfigs.flatMap((config) => unsuccessful.get(keyOf(config)) ?? []),
      scheduledBy: origins.find((origin) => seen.hidden?.has(origin.split("/")[0] ?? "")),
    };
    return [protectionOf(about, now)];
  });
}

/** What there is of one claim. */
interface AboutClaim {
  readonly claim: string;
  /** By restores that began to write, and did not complete. */
  readonly halfWritten: readonly string[];
  readonly taken: readonly SnapshotView[];
  readonly lastGood: SnapshotView | undefined;
  readonly configs: readonly BackupConfig[];
  readonly schedules: readonly BackupSchedule[];
  /** Those of its BackupConfigs that failed, or have not ended. */
  readonly unsuccessful: readonly Backup[];
  readonly scheduledBy: string | undefined;
}

function protectionOf(about: AboutClaim, now: number): ProtectionView {
  const { claim, halfWritten, taken, lastGood, configs, schedules, unsuccessful, scheduledBy } = about;
  const active = schedules.filter(({ spec }) => !spec.schedule.suspend);
  const nextRun = active
    .flatMap(({ status }) => status?.nextSchedule?.at ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  return {
    claim,
    level: !lastGood ? "not yet" : active.length > 0 ? "yes" : scheduledBy ? "elsewhere" : "by hand",
    by: configs.map(refOf),
    lastGood,
    nextRun,
    scheduledBy,
    wrong: [
      ...halfWritten,
      ...configs.flatMap((config) => withName("config", config, configComplaint(config))),
      ...schedules.flatMap((schedule) =>
        withName("schedule", schedule, scheduleComplaint(schedule, lastGood)),
      ),
      ...failedSince(lastGood, unsuccessful),
      ...heldUpNow(unsuccessful),
      ...lackingAtLast(taken),
      ...(nextRun !== undefined && Date.parse(nextRun) < now - LATE
        ? [`the run that was due ${agoText(nextRun, now)} has not begun: is the operator running?`]
        : []),
    ],
  };
}

function leftIncomplete(restore: Restore): boolean {
  return conditionOf(restore, CONDITIONS.targetIncomplete)?.status === "True";
}

function targetKeys({ metadata: { namespace }, spec }: Restore): readonly string[] {
  const name = spec.target?.pvcRef?.name;
  return name === undefined ? [] : [keyOf({ namespace, name })];
}

function halfWrittenBy(restore: string): string {
  return `HALF WRITTEN: ${restore} did not complete; use nothing of the volume before a restore into it does`;
}

function isUnsuccessful({ status }: Backup): boolean {
  return ["Pending", "Running", "Failed"].includes(status?.phase ?? "");
}

/**
 * Also that it can be run in some of its namespaces only; and why none of its backups is pruned: its source may have
 * lost what these still hold.
 */
export function configComplaint(config: BackupConfig): string | undefined {
  const ready = conditionOf(config, "Ready");
  const paused = conditionOf(config, CONDITIONS.pruningPaused);
  return (
    complaintOf(config) ??
    (config.status?.phase === "Degraded" ? ready?.message : undefined) ??
    (paused?.status === "True" ? paused.message : undefined)
  );
}

function scheduleComplaint(schedule: BackupSchedule, good: SnapshotView | undefined): string | undefined {
  if (schedule.spec.schedule.suspend) return "it is suspended";
  return complaintOf(schedule) ?? leftOutSince(good, schedule);
}

/** Why the last run that was due was left out, where there is no good backup since. */
function leftOutSince(good: SnapshotView | undefined, schedule: BackupSchedule): string | undefined {
  const skipped = conditionOf(schedule, CONDITIONS.backupSkipped);
  // Somebody wanted none while it was suspended.
  if (skipped?.status !== "True" || skipped.reason === "Suspended") return undefined;
  const at = Date.parse(schedule.status?.lastSkippedSchedule?.at ?? "");
  return good && Date.parse(good.at) > at ? undefined : skipped.message;
}

function withName(kind: string, { metadata }: KubeObject, complaint: string | undefined): readonly string[] {
  return complaint === undefined ? [] : [`${kind}/${metadata.name}: ${complaint}`];
}

function newestBackup(backups: readonly Backup[]): Backup | undefined {
  return newestOf(backups.map((backup) => ({ at: endOf(backup), backup })))?.backup;
}

/** The last Backup that failed, where that was after the last good one. */
function failedSince(good: SnapshotView | undefined, backups: readonly Backup[]): readonly string[] {
  const failed = newestBackup(backups.filter(({ status }) => status?.phase === "Failed"));
  if (!failed || (good && Date.parse(good.at) > Date.parse(endOf(failed)))) return [];
  return [`backup/${failed.metadata.name} failed: ${complaintOf(failed) ?? "no reason is known"}`];
}

/** The last Backup that has not ended, and that something is in the way of. */
function heldUpNow(backups: readonly Backup[]): readonly string[] {
  const held = newestBackup(
    backups.filter((backup) => backup.status?.phase !== "Failed" && heldUp(backup) !== undefined),
  );
  return held ? withName("backup", held, heldUp(held)) : [];
}

/** The last Backup of the claim, where it does not hold all of it. */
function lackingAtLast(taken: readonly SnapshotView[]): readonly string[] {
  const { object, incomplete, doubt } = newestOf(taken.filter(({ beforeRestore }) => !beforeRestore)) ?? {};
  if (incomplete !== undefined) return [`backup/${object?.name} does not hold all of it: ${incomplete}`];
  return doubt === undefined ? [] : [`backup/${object?.name} does not count as good: ${doubt}`];
}
