import { sampleMaintenance } from "../../src/apis/kopiur/maintenance/testing/sample_maintenance.ts";
import {
  backup,
  clusterRepository,
  config,
  readyNas,
  repository,
  restore,
  schedule,
} from "../../src/apis/kopiur/testing/samples.ts";
import type { World } from "../../tools/monitoring/testing/exposition.ts";
import type { AlertCase } from "./alert_case.ts";
import { AUTORESTORE_ALERT_CASES } from "./autorestore_alert_cases.ts";
import { COZYSTACK_ALERT_CASES } from "./cozystack_alert_cases.ts";
import { OPERATOR_ALERT_CASES } from "./operator_alert_cases.ts";
import { PLUMBER_ALERT_CASES } from "./plumber_alert_cases.ts";
import { VELERO_ALERT_CASES } from "./velero_alert_cases.ts";

const BIRTH = "1970-01-01T00:00:00Z";
const at = (time: string) => `1970-01-01T${time}Z`;
const born = { creationTimestamp: BIRTH };
const HOUR = 60;
const DAY = 24 * HOUR;

const hourly = schedule({ metadata: born });
const savedAt = (time: string) => ({ lastSuccessfulBackup: { name: "first", at: time } });
const saved = (time: string) => savedAt(at(time));
const recipe = (status: object) => config({ metadata: born, status: { phase: "Ready", ...status } });
const backedUp = (status: object): World => ({ objects: [hourly, recipe(status)] });
/** A BackupConfig whose newest Backup lacks that of its one volume. */
const lacking = (incomplete: string | undefined): World => ({
  objects: [
    recipe(saved("00:05:00")),
    backup({
      metadata: born,
      status: {
        phase: "Succeeded",
        snapshots: [{ pvc: "billing/data", ...(incomplete ? { incomplete } : {}) }],
      },
    }),
  ],
});
/** 1970 began on a Thursday. */
const weekly = (savedLast: string): World => ({
  objects: [
    schedule({ metadata: born, spec: { schedule: { cron: "0 2 * * 4" } } }),
    recipe(savedAt(savedLast)),
  ],
});
const volume = (annotations: Readonly<Record<string, string>>): World => {
  const metadata = {
    namespace: "billing",
    name: "cache",
    uid: "u",
    resourceVersion: "1",
    annotations,
    ...born,
  };
  return { objects: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata }] };
};
const DATA = { namespace: "billing", name: "data" };
const pausing = (status: string, reason: string): World => ({
  objects: [
    recipe({
      conditions: [{ type: "PruningPaused", status, reason, message: "m", lastTransitionTime: BIRTH }],
    }),
  ],
});
const NAS = { kind: "Repository", namespace: "billing", name: "nas" };
const shrunk = [
  { type: "CatalogShrunk", status: "True", reason: "R", message: "m", lastTransitionTime: BIRTH },
];
const maintained = (full: string): World => ({
  objects: [
    sampleMaintenance({
      metadata: born,
      spec: {
        schedule: {
          quick: { cron: "0 0 1 1 *", jitter: "0s" },
          full: { cron: "0 3 * * *", jitter: "0s" },
          timezone: "UTC",
          suspend: false,
        },
      },
      status: { full: { lastSuccessAt: full } },
    }),
  ],
});
const checked = (healthy: boolean, missing?: { packs: number; snapshots: number }): World => ({
  objects: [
    sampleMaintenance({ status: { lastCheck: { at: BIRTH, healthy, ...(missing ? { missing } : {}) } } }),
  ],
});
const deleting = (...names: readonly string[]): World => ({
  objects: names.map((name) => backup({ metadata: { name }, status: { phase: "Deleting" } })),
});

const breaker = (state: string): World => ({
  objects: [repository({ status: { phase: "Ready", breaker: { state, consecutiveFailures: 3 } } })],
});

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "HoldfastBackupStale",
    story: "two hourly runs bring nothing, then one succeeds",
    stretches: [
      // Due at 01:00; the next was at 02:00.
      { minutes: 4 * HOUR, world: backedUp(saved("00:05:00")) },
      { minutes: HOUR, world: backedUp(saved("03:58:00")) },
    ],
    notYet: 2 * HOUR + 30,
    fires: 3 * HOUR + 30,
    labels: DATA,
    summary: "The newest backup of billing/data is too old",
    ended: 4 * HOUR + 30,
  },
  {
    alert: "HoldfastBackupStale",
    story: "the schedule is suspended",
    stretches: [
      { minutes: 4 * HOUR, world: backedUp(saved("00:05:00")) },
      {
        minutes: HOUR,
        world: {
          objects: [
            schedule({ metadata: born, spec: { schedule: { suspend: true } } }),
            recipe(saved("00:05:00")),
          ],
        },
      },
    ],
    notYet: 30,
    fires: 3 * HOUR + 30,
    labels: DATA,
    summary: "The newest backup of billing/data is too old",
    ended: 4 * HOUR + 30,
  },
  {
    alert: "HoldfastBackupStale",
    story: "a weekly one is a day late, and does not get a week",
    stretches: [
      { minutes: DAY + 5 * HOUR, world: weekly(at("00:05:00")) },
      { minutes: HOUR, world: weekly("1970-01-02T04:58:00Z") },
    ],
    notYet: DAY + HOUR,
    fires: DAY + 4 * HOUR,
    labels: DATA,
    summary: "The newest backup of billing/data is too old",
    ended: DAY + 5 * HOUR + 30,
  },
  {
    alert: "HoldfastBackupNeverRan",
    story: "the first run brings nothing, a later one succeeds",
    stretches: [
      { minutes: 5 * HOUR, world: backedUp({}) },
      { minutes: HOUR, world: backedUp(saved("04:59:00")) },
    ],
    notYet: 2 * HOUR,
    fires: 4 * HOUR,
    labels: DATA,
    summary: "billing/data has a schedule and no backup",
    ended: 5 * HOUR + 30,
  },
  {
    alert: "HoldfastBackupNeverRan",
    story: "a schedule names a recipe that is not there, and then it is, with a backup",
    stretches: [
      { minutes: 5 * HOUR, world: { objects: [hourly] } },
      { minutes: HOUR, world: backedUp(saved("04:59:00")) },
    ],
    notYet: 2 * HOUR,
    fires: 4 * HOUR,
    labels: DATA,
    summary: "billing/data has a schedule and no backup",
    ended: 5 * HOUR + 30,
  },
  {
    alert: "HoldfastBackupFailing",
    story: "two Backups fail, and the next succeeds",
    stretches: [
      { minutes: 60, world: backedUp({ consecutiveFailures: 2 }) },
      { minutes: 60, world: backedUp({ consecutiveFailures: 0 }) },
    ],
    notYet: 10,
    fires: 30,
    labels: DATA,
    summary: "Backups of billing/data fail",
    ended: 70,
  },
  {
    alert: "HoldfastBackupIncomplete",
    story: "a Backup leaves a folder out, and the next one holds all",
    stretches: [
      { minutes: 60, world: lacking("pgdata could not be read") },
      { minutes: 60, world: lacking(undefined) },
    ],
    notYet: 10,
    fires: 30,
    labels: DATA,
    summary: "The newest backup of billing/data does not hold everything",
    ended: 70,
  },
  {
    alert: "HoldfastBackupConfigBroken",
    story: "a recipe is refused, and then mended",
    stretches: [
      { minutes: 60, world: { objects: [recipe({ phase: "Failed" })] } },
      { minutes: 60, world: { objects: [recipe({})] } },
    ],
    notYet: 10,
    fires: 30,
    labels: { ...DATA, kind: "BackupConfig" },
    summary: "BackupConfig billing/data is Failed",
    ended: 70,
  },
  {
    alert: "HoldfastPruningPaused",
    story: "a recipe is not ready for a while, then its source shrinks, and somebody accepts that",
    stretches: [
      { minutes: 30, world: pausing("True", "ConfigNotReady") },
      { minutes: 60, world: pausing("True", "SourceShrank") },
      { minutes: 60, world: pausing("False", "Pruning") },
    ],
    notYet: 25,
    fires: 60,
    labels: { ...DATA, reason: "SourceShrank" },
    summary: "Retention of billing/data is paused: SourceShrank",
    ended: 100,
  },
  {
    alert: "HoldfastRepositoryAway",
    story: "a repository stops to answer, and answers again",
    stretches: [
      { minutes: 60, world: { objects: [readyNas({ status: { phase: "Degraded" } })] } },
      { minutes: 60, world: { objects: [readyNas()] } },
    ],
    notYet: 10,
    fires: 30,
    labels: NAS,
    summary: "Repository billing/nas cannot be used",
    ended: 70,
  },
  {
    alert: "HoldfastRepositoryAway",
    story: "one of the cluster never answered, and is deleted",
    stretches: [
      { minutes: 60, world: { objects: [clusterRepository({ status: { phase: "Failed" } })] } },
      { minutes: 60, world: {} },
    ],
    notYet: 10,
    fires: 30,
    labels: { kind: "ClusterRepository", name: "shared" },
    summary: "ClusterRepository shared cannot be used",
    ended: 70,
  },
  {
    alert: "HoldfastBreakerOpen",
    story: "storage fails, is tried, and works again",
    stretches: [
      { minutes: 30, world: breaker("Open") },
      { minutes: 30, world: breaker("HalfOpen") },
      { minutes: 60, world: breaker("Closed") },
    ],
    notYet: 10,
    fires: 40,
    labels: NAS,
    summary: "Runs at Repository billing/nas wait, because its storage fails",
    ended: 70,
  },
  {
    alert: "HoldfastMaintenanceOverdue",
    story: "a full run is due at three, and comes more than a day late",
    stretches: [
      { minutes: DAY + 6 * HOUR, world: maintained(BIRTH) },
      { minutes: HOUR, world: maintained("1970-01-02T05:58:00Z") },
    ],
    notYet: DAY,
    fires: DAY + 5 * HOUR,
    labels: { namespace: "billing", name: "nas", mode: "full" },
    summary: "The full maintenance of billing/nas is overdue",
    ended: DAY + 6 * HOUR + 30,
  },
  {
    alert: "HoldfastRestoreFailed",
    story: "a Restore fails, and is deleted",
    stretches: [
      { minutes: 10, world: { objects: [restore({ status: { phase: "Restoring" } })] } },
      { minutes: 60, world: { objects: [restore({ status: { phase: "Failed" } })] } },
      { minutes: 60, world: {} },
    ],
    notYet: 5,
    fires: 30,
    labels: { namespace: "billing", name: "again" },
    summary: "Restore billing/again failed",
    ended: 80,
  },
  {
    alert: "HoldfastVerificationFailed",
    story: "a check finds damage, a later one none",
    stretches: [
      { minutes: 10, world: checked(true) },
      { minutes: 60, world: checked(false) },
      { minutes: 60, world: checked(true) },
    ],
    notYet: 5,
    fires: 30,
    labels: { namespace: "billing", name: "nas" },
    summary: "The check of the repository of Maintenance billing/nas found damage",
    ended: 80,
  },
  {
    alert: "HoldfastDataMissing",
    story: "a check finds packs missing, a later one finds them again",
    stretches: [
      { minutes: 10, world: checked(true) },
      { minutes: 60, world: checked(false, { packs: 2, snapshots: 7 }) },
      { minutes: 60, world: checked(true) },
    ],
    notYet: 5,
    fires: 30,
    labels: { namespace: "billing", name: "nas" },
    summary: "The storage of the repository of Maintenance billing/nas has lost data",
    ended: 80,
  },
  {
    alert: "HoldfastCatalogShrunk",
    story: "snapshots are missing, and somebody acknowledges that",
    stretches: [
      { minutes: 60, world: { objects: [readyNas({ status: { conditions: shrunk } })] } },
      { minutes: 60, world: { objects: [readyNas({ status: { catalog: {} } })] } },
    ],
    notYet: 2,
    fires: 30,
    labels: NAS,
    summary: "Many snapshots are missing from Repository billing/nas",
    ended: 70,
  },
  {
    alert: "HoldfastSnapshotDeletionFailing",
    story: "one deletion is stuck until it works, while others take their time",
    stretches: [
      { minutes: HOUR, world: deleting("before") },
      { minutes: 4 * HOUR, world: deleting("stuck") },
      { minutes: HOUR, world: deleting("after") },
    ],
    notYet: 3 * HOUR + 10,
    fires: 5 * HOUR - 1,
    labels: { namespace: "billing" },
    summary: "Holdfast cannot delete the snapshots of deleted Backups in billing",
    ended: 5 * HOUR + 2,
  },
  ...OPERATOR_ALERT_CASES,
  ...PLUMBER_ALERT_CASES,
  ...AUTORESTORE_ALERT_CASES,
  ...COZYSTACK_ALERT_CASES,
  ...VELERO_ALERT_CASES,
  {
    alert: "HoldfastVolumeUnprotected",
    story: "nothing backs a volume up, until somebody says that it needs no backup",
    stretches: [
      { minutes: 2 * DAY, world: volume({}) },
      { minutes: HOUR, world: volume({ "holdfast.dev/exempt": "a cache" }) },
    ],
    notYet: DAY - 10,
    fires: DAY + HOUR,
    labels: { namespace: "backups", job: "holdfast-metrics" },
    summary: "Volumes without a backup: 1",
    ended: 2 * DAY + 10,
  },
];
