import { expect } from "vitest";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
} from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import type { Draft } from "../../src/kube/object.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Stage } from "./stage.ts";

const HOUR = 3_600_000;

/** Begins a schedule `hourly` of the recipe `data`. */
export async function beginHourly(stage: Stage): Promise<void> {
  const draft = {
    metadata: { namespace: stage.namespace, name: "hourly" },
    spec: { configRef: { name: "data" }, schedule: { cron: "0 * * * *" } },
  };
  await stage.world.client.create(backupScheduleResource, draft as Draft<BackupSchedule>);
  const { status } = await stage.until(backupScheduleResource, "hourly", "Active");
  expect(status?.lastSchedule).toBeUndefined();
}

/** On the operator's clock it is now some seconds past the hour that comes after so many. */
export function hoursFromNow(stage: Stage, hours: number): void {
  const now = systemClock.now();
  stage.world.operator.clock.err(Math.floor(now / HOUR) * HOUR + hours * HOUR + 2_000 - now);
}

/** The Backup of the hour that has just begun, once it has succeeded. */
export async function nextBackup(stage: Stage, hours: number): Promise<Backup> {
  const { client } = stage.world;
  const { namespace } = stage;
  const before = await client.get(backupScheduleResource, { namespace, name: "hourly" });
  hoursFromNow(stage, hours);
  const name = await stage.eventually("the schedule has made another Backup", async () => {
    const { status } = await client.get(backupScheduleResource, { namespace, name: "hourly" });
    const value = status?.lastSchedule?.backupRef?.name;
    return { done: value !== before.status?.lastSchedule?.backupRef?.name, value };
  });
  return stage.until(backupResource, name ?? "", "Succeeded", ["Failed"]);
}
