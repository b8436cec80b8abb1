import {
  sampleBackup,
  sampleJob,
  samplePlan,
  sampleRestoreJob,
} from "../../src/apis/cozystack/testing/samples.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { World } from "../../tools/monitoring/testing/exposition.ts";
import type { AlertCase } from "./alert_case.ts";

const HOUR = 60;
const DAY = 24 * HOUR;

const born = <T extends KubeObject>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp: "1970-01-01T00:00:00Z" },
});
const seen = (...objects: readonly KubeObject[]): World => ({ objects: objects.map(born) });
const plan = (status: NonNullable<Parameters<typeof samplePlan>[1]>) => seen(samplePlan({}, status));
const succeeded = (day: number) => ({
  phase: "Active" as const,
  lastSuccessfulSchedule: { at: `1970-01-0${day}T02:00:00Z` },
});
const waiting = (reason: string) => ({
  conditions: [
    {
      type: "Ready",
      status: "False" as const,
      reason,
      message: "m",
      lastTransitionTime: "1970-01-01T00:00:00Z",
    },
  ],
});
const PLAN = { namespace: "tenant", name: "nightly" };

/** Of Plans, their jobs and Backups. */
export const COZYSTACK_ALERT_CASES: readonly AlertCase[] = [
  {
    alert: "HoldfastPlanOverdue",
    story: "two nights bring no Backup, and the third does",
    stretches: [
      { minutes: 2 * HOUR + 30, world: plan({ phase: "Active" }) },
      { minutes: 2 * DAY + 2 * HOUR, world: plan(succeeded(1)) },
      { minutes: DAY, world: plan(succeeded(3)) },
    ],
    // Due on the second day at two.
    notYet: 2 * DAY + 2 * HOUR + 30,
    fires: 2 * DAY + 3 * HOUR + 30,
    labels: PLAN,
    summary: "The application of Plan tenant/nightly has no new backup",
    ended: 2 * DAY + 5 * HOUR,
  },
  {
    alert: "HoldfastPlanOverdue",
    story: "a new Plan brings no Backup, and is suspended",
    stretches: [
      { minutes: DAY + 6 * HOUR, world: plan({ phase: "Active" }) },
      { minutes: HOUR, world: seen(samplePlan({ suspend: true }, { phase: "Suspended" })) },
    ],
    notYet: DAY + 2 * HOUR + 30,
    fires: DAY + 4 * HOUR,
    labels: PLAN,
    summary: "The application of Plan tenant/nightly has no new backup",
    ended: DAY + 6 * HOUR + 30,
  },
  {
    alert: "HoldfastPlanFailing",
    story: "a BackupJob fails, and the next one succeeds",
    stretches: [
      { minutes: HOUR, world: plan({ phase: "Active", consecutiveFailures: 1 }) },
      { minutes: HOUR, world: plan({ phase: "Active", consecutiveFailures: 0 }) },
    ],
    notYet: 10,
    fires: 30,
    labels: PLAN,
    summary: "BackupJobs of Plan tenant/nightly fail",
    ended: HOUR + 30,
  },
  {
    alert: "HoldfastPlanBroken",
    story: "a schedule cannot be read, and is corrected",
    stretches: [
      { minutes: HOUR, world: plan({ phase: "Failed" }) },
      { minutes: HOUR, world: plan({ phase: "Active" }) },
    ],
    notYet: 10,
    fires: 30,
    labels: { namespace: "tenant" },
    summary: "Plans of tenant are Failed",
    ended: HOUR + 30,
  },
  {
    alert: "HoldfastJobWaiting",
    story: "a job waits for its driver, which is started after an hour",
    stretches: [
      { minutes: 10, world: seen(sampleJob("first", waiting("WaitingForDriver"))) },
      { minutes: HOUR, world: seen(sampleJob("first", waiting("NoDriver"))) },
      { minutes: HOUR, world: seen(sampleJob("first", waiting("Running"))) },
    ],
    notYet: 30,
    fires: HOUR,
    labels: { kind: "BackupJob", namespace: "tenant", reason: "NoDriver" },
    summary: "BackupJobs of tenant wait: NoDriver",
    ended: HOUR + 30,
  },
  {
    alert: "HoldfastRestoreJobFailed",
    story: "a RestoreJob fails, and is deleted",
    stretches: [
      { minutes: 10, world: seen(sampleRestoreJob("again", {}, { phase: "Running" })) },
      { minutes: 20, world: seen(sampleRestoreJob("again", {}, { phase: "Failed" })) },
      { minutes: 20, world: {} },
    ],
    notYet: 5,
    fires: 20,
    labels: { namespace: "tenant" },
    summary: "RestoreJobs of tenant failed",
    ended: 40,
  },
  {
    alert: "HoldfastBackupNotDeleted",
    story: "the data of a Backup cannot be deleted for three hours",
    stretches: [
      {
        minutes: 3 * HOUR,
        world: seen(sampleBackup("first", {}, { phase: "Deleting", ...waiting("DeletionFailed") })),
      },
      {
        minutes: HOUR,
        world: seen(sampleBackup("first", {}, { phase: "Deleting", ...waiting("Deleting") })),
      },
    ],
    notYet: HOUR,
    fires: 2 * HOUR + 30,
    labels: { namespace: "tenant", reason: "DeletionFailed" },
    summary: "Data of deleted Backups stays in tenant: DeletionFailed",
    ended: 3 * HOUR + 30,
  },
];
