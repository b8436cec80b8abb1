import { afterEach, expect, test } from "vitest";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { moverOf, pause, repositoryIsSound } from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { Hourly } from "./schedules_stage.ts";
import { Stage } from "./stage.ts";
import { recipe } from "./staging_stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const SLOTS = 20;
/** Longer than any request waits for its answer. */
const AWAY = 60_000;

/** For a world whose API server is a program of its own: it falls silent, while slots come due and a mover works. */
export function apiServerAway(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  afterEach(async () => {
    world?.operator.clock.err(0);
    await world?.apiServer?.resume();
  });

  test("twenty slots that nobody could see are one Backup, and what ran meanwhile has ended well", {
    timeout: 600_000,
  }, async ({ skip }) => {
    const { apiServer, client } = world;
    if (!apiServer) return skip("the API server of this world is no program of its own");
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    await stage.repositoryOnVolume();
    await stage.filledClaim("data", LARGE_HOUSEHOLD);
    const wanted = await stage.describe("data");
    await recipe(stage, "data", { copyMethod: "Direct" });
    await stage.until(backupConfigResource, "data", "Ready");
    const hourly = await Hourly.begin(stage);
    const before = await hourly.backup(1);

    await stage.beginBackup("meanwhile", "data");
    await moverOf(stage, backupResource, "meanwhile", "snapshot");
    await apiServer.pause();
    hourly.pass(1 + SLOTS);
    await pause(AWAY);
    await apiServer.resume();

    const meanwhile = await stage.until(backupResource, "meanwhile", "Succeeded", ["Failed"]);
    const { status } = await stage.eventually("the newest slot is made", async () => {
      const value = await client.get(backupScheduleResource, { namespace, name: "hourly" });
      return { done: value.status?.lastSkippedSchedule !== undefined, value };
    });
    expect(status?.lastSkippedSchedule).toMatchObject({ reason: "Missed", count: SLOTS - 1 });
    const after = await stage.until(
      backupResource,
      status?.lastSchedule?.backupRef?.name ?? "",
      "Succeeded",
      ["Failed"],
    );
    const { items } = await client.list(backupResource, { namespace });
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(
      [before, meanwhile, after].map(({ metadata }) => metadata.name).toSorted(),
    );
    await repositoryIsSound(stage, items, wanted);
  });
}
