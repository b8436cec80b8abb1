import { afterEach, describe, expect, test } from "vitest";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
} from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { brokenPromises } from "../../src/kinds/kopiur/testing/promised.ts";
import { repositoryIsSound } from "./faults_stage.ts";
import { HOUSEHOLD } from "./household.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Hourly } from "./schedules_stage.ts";
import { Stage } from "./stage.ts";
import { recipe } from "./staging_stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** Backups that run by themselves, and a history that is kept as the recipe says. Hours pass on the operator's clock alone. */
export function schedules(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  afterEach(() => world?.operator.clock.err(0));

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test("every hour has its Backup, older ones go with their snapshots, and nothing begins while suspended", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await recipe(stage, "data", { copyMethod: "Direct", retention: { keepLatest: 2 } });
      await stage.until(backupConfigResource, "data", "Ready");
      const hourly = await Hourly.begin(stage);

      const first = await hourly.backup(1);
      expect(first.status).toMatchObject({ origin: "scheduled" });
      expect(first.metadata.ownerReferences).toBeUndefined();
      const second = await hourly.backup(2);
      const third = await hourly.backup(3);
      await stage.gone(backupResource, first.metadata.name);
      await repositoryIsSound(stage, [second, third], wanted);
      const pruned = await untilPruned(stage, 2);
      expect(pruned.status).toMatchObject({
        lastSuccessfulBackup: { name: third.metadata.name },
        retention: { lastPruneDeleted: 1, next: [{ backup: second.metadata.name }] },
      });

      await suspend(stage, true);
      await stage.until(backupScheduleResource, "hourly", "Suspended");
      hourly.pass(7);
      await suspend(stage, false);
      const resumed = await stage.until(backupScheduleResource, "hourly", "Active");
      expect(resumed.status).toMatchObject({
        lastSkippedSchedule: { reason: "Suspended" },
        lastSuccessfulSchedule: { backupRef: { name: third.metadata.name } },
        consecutiveFailures: 0,
        lastSchedule: { backupRef: { name: third.metadata.name } },
      });
      expect(brokenPromises("BackupSchedule", resumed.status)).toEqual([]);
      const { lastSchedule, nextSchedule } = resumed.status ?? {};
      expect(Date.parse(nextSchedule?.at ?? "")).toBeGreaterThan(Date.parse(lastSchedule?.scheduledAt ?? ""));
      const { items } = await world.client.list(backupResource, { namespace: stage.namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual([second.metadata.name, third.metadata.name]);
    });
  });
}

/** The recipe, once it was pruned and so many are left. */
async function untilPruned(stage: Stage, kept: number): Promise<BackupConfig> {
  return stage.eventually("the recipe says what was pruned", async () => {
    const value = await stage.world.client.get(backupConfigResource, {
      namespace: stage.namespace,
      name: "data",
    });
    const { lastPruneAt, activeBackupCount } = value.status?.retention ?? {};
    return { done: lastPruneAt !== undefined && activeBackupCount === kept, value };
  });
}

async function suspend(stage: Stage, on: boolean): Promise<void> {
  const name = { namespace: stage.namespace, name: "hourly" };
  const patch = { spec: { schedule: { suspend: on } } };
  await stage.world.client.patch<BackupSchedule>(backupScheduleResource, name, { type: "merge", patch });
}
