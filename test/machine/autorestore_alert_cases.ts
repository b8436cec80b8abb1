import { slotKey } from "../../src/apis/autorestore/config/target_slots.ts";
import {
  claimed,
  sampleBackup,
  sampleConfig,
  sampleRepository,
  sampleRestore,
  sampleTarget,
} from "../../src/apis/autorestore/testing/samples.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { World } from "../../tools/monitoring/testing/exposition.ts";
import type { AlertCase } from "./alert_case.ts";

const BIRTH = "1970-01-01T00:00:00Z";
const HOUR = 60;
const at = (hour: number) => `1970-01-01T0${hour}:05:00Z`;
const born = (object: KubeObject, more: object = {}): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp: BIRTH, ...more },
});

/** A PVC that is backed up at the beginning of each hour, with these backups. */
const hourly = (...backups: readonly KubeObject[]): World => ({
  objects: [
    born({
      ...sampleConfig({ backupTargets: [sampleTarget("nas", { backupSchedule: "0 * * * *" })] }),
      status: { work: { [slotKey("nas")]: { after: 0, cron: "0 * * * * UTC" } } },
    } as KubeObject),
    born(claimed("data")),
    ...backups,
  ],
});
const backup = (phase: "Completed" | "Failed", completionTime: string) =>
  born(sampleBackup(`${phase}-${completionTime}`, { status: { phase, completionTime } }));
const DATA = { namespace: "home", pvc: "data", target: "nas" };

/** Restores into one PVC, each an hour after the one before. */
const restores = (...phases: readonly ("Pending" | "Failed" | "Completed")[]): World => ({
  objects: phases.map((phase, hour) =>
    born({ ...sampleRestore(), status: { phase } } as KubeObject, {
      name: `back-${hour}`,
      creationTimestamp: at(hour),
    }),
  ),
});
const waits = (reason: string): World => {
  const condition = { type: "Ready", status: "False", reason, message: "m", lastTransitionTime: BIRTH };
  const status = { phase: "Pending", conditions: [condition] };
  return { objects: [{ ...sampleRestore(), status } as KubeObject] };
};
const repository = (status: object): World => ({
  objects: [{ ...sampleRepository(), status } as KubeObject],
});

/** Of PVCs that BackupConfigs of AutoRestore have claimed, and their repositories. */
export const AUTORESTORE_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "HoldfastResticBackupStale",
    story: "two hours bring no backup, then one completes",
    stretches: [
      // Due at 01:00; the next was at 02:00.
      { minutes: 4 * HOUR, world: hourly(backup("Completed", at(0))) },
      { minutes: HOUR, world: hourly(backup("Completed", at(0)), backup("Completed", at(4))) },
    ],
    notYet: 2 * HOUR + 30,
    fires: 3 * HOUR + 30,
    labels: DATA,
    summary: "PVC home/data has no new backup in target nas",
    ended: 4 * HOUR + 30,
  },
  {
    alert: "HoldfastResticBackupStale",
    story: "three backups fail in a row, before the schedule calls the newest too old",
    stretches: [
      { minutes: 10, world: hourly(backup("Failed", at(0)), backup("Failed", at(0))) },
      {
        minutes: 2 * HOUR,
        world: hourly(...Array.from({ length: 3 }, () => backup("Failed", at(0)))),
      },
      { minutes: HOUR, world: hourly(backup("Completed", at(2))) },
    ],
    notYet: HOUR,
    fires: HOUR + 30,
    labels: DATA,
    summary: "PVC home/data has no new backup in target nas",
    ended: 2 * HOUR + 30,
  },
  {
    alert: "HoldfastResticRestoreFailed",
    story: "a restore fails, and a later one into the same PVC completes",
    stretches: [
      { minutes: 10, world: restores("Pending") },
      { minutes: 60, world: restores("Failed", "Pending") },
      { minutes: 60, world: restores("Failed", "Completed") },
    ],
    notYet: 5,
    fires: 30,
    labels: { namespace: "home", name: "back-0", pvc: "data" },
    summary: "ResticRestore home/back-0 failed",
    ended: 80,
  },
  {
    alert: "HoldfastResticRestoreWaiting",
    story: "a restore waits for its turn, then for a repository that is away, and for its turn again",
    stretches: [
      { minutes: HOUR, world: waits("Queued") },
      { minutes: HOUR, world: waits("Unreachable") },
      { minutes: HOUR, world: waits("Queued") },
    ],
    notYet: HOUR + 20,
    fires: HOUR + 40,
    labels: { namespace: "home", name: "back", pvc: "data" },
    summary: "ResticRestore home/back waits",
    ended: 2 * HOUR + 10,
  },
  {
    alert: "HoldfastResticRepositoryBroken",
    story: "a repository stops to answer, and answers again",
    stretches: [
      { minutes: 60, world: repository({ phase: "Unknown" }) },
      { minutes: 60, world: repository({ phase: "Ready" }) },
    ],
    notYet: 10,
    fires: 30,
    labels: { namespace: "home", name: "nas", problem: "Unusable" },
    summary: "ResticRepository home/nas: Unusable",
    ended: 70,
  },
  {
    alert: "HoldfastResticRepositoryBroken",
    story: "a check finds packs missing, a later one finds them again",
    stretches: [
      { minutes: 60, world: repository({ phase: "Ready", maintenance: { check: { error: "2 packs" } } }) },
      { minutes: 60, world: repository({ phase: "Ready", maintenance: { check: {} } }) },
    ],
    notYet: 10,
    fires: 30,
    labels: { namespace: "home", name: "nas", problem: "CheckFailed" },
    summary: "ResticRepository home/nas: CheckFailed",
    ended: 70,
  },
];
