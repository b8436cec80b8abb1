import { PRIME_FOR } from "../../core/volumes/populator/population_marks.ts";
import { CAPTURED_FOR, STAGED_FOR } from "../../core/volumes/staging/staged_marks.ts";
import { DERIVED_ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { CONDITIONS } from "../../kinds/kopiur/condition_types.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../kinds/kopiur/generated/backup_schedule.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { heldUp } from "../frame/held_up.ts";
import { complaintOf, conditionOf } from "../frame/kinds.ts";
import { agoText } from "../frame/times_text.ts";
import { foundFor } from "../restore/recipe_backups.ts";

/** Whether a volume would come back after a loss. */
export type Protection = "yes" | "elsewhere" | "by hand" | "not yet" | "no" | "store";

/** One volume on the screen. */
export interface VolumeRow {
  readonly volume: KubeObject;
  readonly protection: Protection;
  readonly lastGood?: { readonly backup: string; readonly at: string; readonly bytes?: number | undefined };
  readonly nextRun?: string | undefined;
  /** The recipe of another namespace whose schedules back it up, as namespace/name, where those cannot be seen. */
  readonly by?: string | undefined;
  /** A sentence each. */
  readonly wrong: readonly string[];
}

export interface Ground {
  readonly configs: readonly BackupConfig[];
  readonly schedules: readonly BackupSchedule[];
  /** Namespaces whose schedules nobody may look at. */
  readonly hidden?: ReadonlySet<string>;
  readonly backups: readonly Backup[];
  /** Claims that hold a repository, as namespace/name. */
  readonly stores: ReadonlySet<string>;
  readonly now: number;
}

/** A run that is this late was not only waiting for its turn: nobody makes Backups. */
const LATE = 15 * 60_000;

/** Claims that come and go with runs, and hold copies. */
export function isPassing({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  return (
    [STAGED_FOR, PRIME_FOR].some((mark) => mark in labels || mark in annotations) && !(CAPTURED_FOR in labels)
  );
}

/** What is known of the protection of one claim. */
export function protectionOf(volume: KubeObject, ground: Ground): VolumeRow {
  const key = keyOf(volume.metadata);
  if (ground.stores.has(key)) return { volume, protection: "store", wrong: [] };
  const configs = ground.configs.filter((config) => claimsOf(config).includes(key));
  const held = ground.backups.filter(isTaken).flatMap((backup): readonly Held[] => {
    const snapshot = snapshotFor(backup, key, configs);
    return snapshot ? [{ backup, snapshot }] : [];
  });
  const whole = held.filter(({ snapshot }) => snapshot.incomplete === undefined);
  const good = newest(whole.map(({ backup }) => backup));
  const lastGood = good && { backup: good.metadata.name, at: endOf(good), bytes: bytesOf(good, key) };
  if (configs.length === 0) {
    return {
      volume,
      protection: "no",
      ...(lastGood ? { lastGood } : {}),
      wrong: ["no BackupConfig names it"],
    };
  }
  const run = new Set(configs.map(scheduledAs));
  const schedules = ground.schedules.filter((schedule) => run.has(recipeOf(schedule)));
  const by = [...run].find((origin) => ground.hidden?.has(origin.split("/")[0] ?? ""));
  const active = schedules.filter(({ spec }) => !spec.schedule.suspend);
  const nextRun = active
    .flatMap(({ status }) => status?.nextSchedule?.at ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  const wrong = [
    ...configs.flatMap((config) => withName("config", config, configComplaint(config))),
    ...schedules.flatMap((schedule) => withName("schedule", schedule, scheduleComplaint(schedule, good))),
    ...failedSince(good, configs, ground.backups),
    ...heldUpNow(configs, ground.backups),
    ...lackingAtLast(held),
    ...(nextRun !== undefined && Date.parse(nextRun) < ground.now - LATE
      ? [`the run that was due ${agoText(nextRun, ground.now)} has not begun: is the operator running?`]
      : []),
  ];
  return {
    volume,
    protection: !good ? "not yet" : active.length > 0 ? "yes" : by ? "elsewhere" : "by hand",
    ...(lastGood ? { lastGood } : {}),
    ...(nextRun ? { nextRun } : {}),
    ...(by ? { by } : {}),
    wrong,
  };
}

/** The recipe that schedules name to have this one run, as namespace/name: a repeated one has none of its own. */
export function scheduledAs({ metadata }: BackupConfig): string {
  return metadata.annotations?.[DERIVED_ANNOTATIONS.from] ?? keyOf(metadata);
}

/** The recipe that a schedule names, as namespace/name. */
export function recipeOf({ metadata, spec }: BackupSchedule): string {
  return keyOf({ namespace: metadata.namespace, name: spec.configRef.name });
}

/** The claims that the recipe has resolved to, or, before it resolves, names; as namespace/name. */
export function claimsOf(config: BackupConfig): readonly string[] {
  return config.status?.resolved?.identity?.sources?.map(({ pvc }) => pvc) ?? namedClaims(config);
}

/** The claims that the recipe itself names, as namespace/name. They are in its own namespace. */
export function namedClaims({ metadata, spec }: BackupConfig): readonly string[] {
  return spec.sources.flatMap(({ pvc }) =>
    pvc ? [keyOf({ namespace: metadata.namespace, name: pvc.name })] : [],
  );
}

/** A Backup that succeeded or was found, and its snapshot of one claim. */
interface Held {
  readonly backup: Backup;
  readonly snapshot: SnapshotStatus;
}

function isTaken({ status }: Backup): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Discovered";
}

/** The backup's snapshot of this claim, or that which was found under the identity that the claim has. */
function snapshotFor(
  backup: Backup,
  key: string,
  configs: readonly BackupConfig[],
): SnapshotStatus | undefined {
  const own = snapshotsOf(backup).find(({ pvc }) => pvc === key);
  return own ?? configs.flatMap(({ status }) => foundFor(backup, status?.resolved, key))[0];
}

function snapshotsOf({ status }: Backup): readonly SnapshotStatus[] {
  return status?.snapshots ?? (status?.snapshot ? [status.snapshot] : []);
}

function bytesOf(backup: Backup, key: string): number | undefined {
  const snapshots = snapshotsOf(backup);
  return (snapshots.find(({ pvc }) => pvc === key) ?? snapshots[0])?.sizeBytes;
}

/** When the data was captured, as far as that is known. */
function endOf({ metadata, status }: Backup): string {
  return status?.timing?.endTime ?? metadata.creationTimestamp;
}

function newest(backups: readonly Backup[]): Backup | undefined {
  return backups.toSorted((a, b) => Date.parse(endOf(b)) - Date.parse(endOf(a)))[0];
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

function scheduleComplaint(schedule: BackupSchedule, good: Backup | undefined): string | undefined {
  if (schedule.spec.schedule.suspend) return "it is suspended";
  return complaintOf(schedule) ?? leftOutSince(good, schedule);
}

/** Why the last run that was due was left out, where there is no good backup since. */
function leftOutSince(good: Backup | undefined, schedule: BackupSchedule): string | undefined {
  const skipped = conditionOf(schedule, CONDITIONS.backupSkipped);
  // Somebody wanted none while it was suspended.
  if (skipped?.status !== "True" || skipped.reason === "Suspended") return undefined;
  const at = Date.parse(schedule.status?.lastSkippedSchedule?.at ?? "");
  return good && Date.parse(endOf(good)) > at ? undefined : skipped.message;
}

function withName(kind: string, { metadata }: KubeObject, complaint: string | undefined): readonly string[] {
  return complaint === undefined ? [] : [`${kind}/${metadata.name}: ${complaint}`];
}

/** The last Backup of these recipes, where it failed after the last good one. */
function failedSince(
  good: Backup | undefined,
  configs: readonly BackupConfig[],
  backups: readonly Backup[],
): readonly string[] {
  const failed = newest(
    backups.filter((backup) => backup.status?.phase === "Failed" && ranBy(configs, backup)),
  );
  if (!failed || (good && Date.parse(endOf(good)) > Date.parse(endOf(failed)))) return [];
  return [`backup/${failed.metadata.name} failed: ${complaintOf(failed) ?? "no reason is known"}`];
}

/** The last Backup of these recipes that has not ended, and that something is in the way of. */
function heldUpNow(configs: readonly BackupConfig[], backups: readonly Backup[]): readonly string[] {
  const held = newest(
    backups.filter(
      (backup) =>
        ["Pending", "Running"].includes(backup.status?.phase ?? "") &&
        ranBy(configs, backup) &&
        heldUp(backup) !== undefined,
    ),
  );
  return held ? withName("backup", held, heldUp(held)) : [];
}

function ranBy(configs: readonly BackupConfig[], { metadata, spec }: Backup): boolean {
  const { name, namespace = metadata.namespace } = spec.configRef ?? {};
  return configs.some((config) => config.metadata.name === name && config.metadata.namespace === namespace);
}

/** The last Backup of the claim, where it does not hold all of it. */
function lackingAtLast(held: readonly Held[]): readonly string[] {
  const last = newest(held.map(({ backup }) => backup));
  const lack = held.find(({ backup }) => backup === last)?.snapshot.incomplete;
  return last && lack !== undefined ? [`backup/${last.metadata.name} does not hold all of it: ${lack}`] : [];
}
