import { type Cron, parseCron } from "../../../core/policy/cron.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import type { SlotMemory } from "../../../core/schedule/decide_slot.ts";
import type { DueRun } from "../../../core/schedule/due_run.ts";
import { damagedSince, doubtOf } from "../../../core/view/damaged_since.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { GaugeOptions } from "../../../observe/metrics.ts";
import { type AutorestoreCaches, claimKeyOf, repositoryKeyOf } from "../caches.ts";
import { claimedBy, repositoryName, type Target } from "../config/claiming.ts";
import { backupCron, slotKey } from "../config/target_slots.ts";

type Caches = Pick<AutorestoreCaches, "configs" | "claims" | "backups" | "repositories">;

/** How the backups of each claimed PVC go in each target, told at a scrape. */
export function backupGauges(caches: Caches): readonly GaugeOptions[] {
  const gauge = (
    name: string,
    help: string,
    read: (volume: VolumeInTarget) => number | undefined,
  ): GaugeOptions => ({
    name,
    help,
    labels: ["namespace", "pvc", "target"],
    read: () =>
      volumesIn(caches).flatMap((volume) => {
        const value = read(volume);
        return value === undefined ? [] : [{ labels: volume.labels, value }];
      }),
  });
  return [
    gauge(
      "autorestore_backup_due_timestamp_seconds",
      "When the first scheduled backup of the PVC is due in the target, or was, since its newest good one",
      (volume) => seconds(dueOf(volume)?.at),
    ),
    gauge(
      "autorestore_backup_interval_seconds",
      "How long after that backup the next one of the PVC is due",
      (volume) => seconds(dueOf(volume)?.interval),
    ),
    gauge(
      "autorestore_backup_consecutive_failures",
      "ResticBackups of the PVC in the target that have failed since one completed, as far as they are kept",
      failuresOf,
    ),
  ];
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** A claimed PVC, and what there is of it in one target. */
interface VolumeInTarget {
  readonly labels: { readonly namespace: string; readonly pvc: string; readonly target: string };
  readonly claim: KubeObject;
  readonly promised: Promised | undefined;
  readonly backups: readonly ResticBackup[];
  /** Since when the repository is known to be damaged. */
  readonly damaged: number | undefined;
}

function volumesIn({ configs, claims, backups, repositories }: Caches): readonly VolumeInTarget[] {
  const damaged = damagedSince([...repositories.values()], keyOf);
  const made = Map.groupBy(
    [...backups.values()].filter(({ metadata }) => !metadata.deletionTimestamp),
    (backup) => `${claimKeyOf(backup)} ${repositoryKeyOf(backup)}`,
  );
  const byConfig = Map.groupBy(
    [...claims.values()].filter(({ metadata }) => !metadata.deletionTimestamp),
    claimedBy,
  );
  return [...configs.values()].flatMap((config) =>
    targetsOf(config).flatMap(({ target, promised }) => {
      const { namespace: home } = config.metadata;
      const repository = keyOf({ namespace: home, name: repositoryName(config, target) });
      return (byConfig.get(keyOf(config)) ?? []).map((claim): VolumeInTarget => {
        const { namespace = "", name: pvc } = claim.metadata;
        return {
          labels: { namespace, pvc, target: target.name },
          claim,
          promised,
          backups: made.get(`${keyOf(claim)} ${repository}`) ?? [],
          damaged: damaged.get(repository),
        };
      });
    }),
  );
}

/** What the schedule of a target has promised. */
interface Promised {
  readonly cron: Cron;
  /** Times up to here are decided, in milliseconds since 1970. */
  readonly decided: number;
  /** Since when it holds: what an earlier schedule would have meant was never promised. Absent once it has run. */
  readonly since?: number;
}

interface ScheduledTarget {
  readonly target: Target;
  readonly promised: Promised | undefined;
}

/** To understand a schedule costs more than all the rest of a scrape. */
const understood = new WeakMap<BackupConfig, readonly ScheduledTarget[]>();

function targetsOf(config: BackupConfig): readonly ScheduledTarget[] {
  const known = understood.get(config);
  if (known) return known;
  const targets = config.spec.backupTargets.map((target) => ({
    target,
    promised: promiseOf(config, target),
  }));
  understood.set(config, targets);
  return targets;
}

/** None before the operator has begun with it. */
function promiseOf({ metadata, status }: BackupConfig, target: Target): Promised | undefined {
  const expression = backupCron(target);
  const memory = recordsOf(status)[slotKey(target.name)] as SlotMemory | undefined;
  if (expression === undefined || !memory) return undefined;
  const parsed = parseCron({ expression, seed: `${metadata.uid}/${target.name}` });
  if (!parsed.ok || parsed.value.text !== memory.cron) return undefined;
  const { value: cron } = parsed;
  const { after: decided } = memory;
  return { cron, decided, ...(cron.previous(decided + 1) === decided ? {} : { since: decided }) };
}

/** The run that has to bring the next good backup. */
function dueOf({ claim, promised, backups, damaged }: VolumeInTarget): DueRun | undefined {
  if (!promised) return undefined;
  const { cron, decided, since = 0 } = promised;
  const good = backups.filter((one) => isCompleted(one) && !doubtOf(endOf(one), damaged));
  const last = good.length > 0 ? Math.max(...good.map(endedAt)) : undefined;
  const first = backups.length > 0 ? Math.min(...backups.map(bornAt)) : undefined;
  // A PVC of which nothing was made yet was claimed after the last time that backups were made.
  const at = cron.next(Math.max(bornAt(claim), since, last ?? first ?? decided));
  const following = at === undefined ? undefined : cron.next(at);
  return at === undefined || following === undefined ? undefined : { at, interval: following - at };
}

function failuresOf({ backups }: VolumeInTarget): number {
  const last = Math.max(...backups.filter(isCompleted).map(endedAt));
  return backups.filter((one) => one.status?.phase === "Failed" && endedAt(one) > last).length;
}

function isCompleted({ status }: ResticBackup): boolean {
  return status?.phase === "Completed";
}

function bornAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp);
}

function endedAt(backup: ResticBackup): number {
  return Date.parse(endOf(backup));
}

function endOf({ metadata, status }: ResticBackup): string {
  return status?.completionTime ?? metadata.creationTimestamp;
}
