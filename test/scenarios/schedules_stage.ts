import { expect } from "vitest";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
} from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import type { Draft } from "../../src/kube/object.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Stage } from "./stage.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A schedule `hourly` of the recipe `data`, whose slots pass on the operator's clock alone. */
export class Hourly {
  readonly #stage: Stage;
  readonly #firstSlot: number;

  private constructor(stage: Stage, firstSlot: number) {
    this.#stage = stage;
    this.#firstSlot = firstSlot;
  }

  /** Its first slot is half an hour away: none comes before it is asked for. */
  static async begin(stage: Stage): Promise<Hourly> {
    const firstSlot = Math.floor((systemClock.now() + HOUR / 2) / MINUTE) * MINUTE;
    const draft = {
      metadata: { namespace: stage.namespace, name: "hourly" },
      spec: {
        configRef: { name: "data" },
        schedule: { cron: `${new Date(firstSlot).getUTCMinutes()} * * * *` },
      },
    };
    await stage.world.client.create(backupScheduleResource, draft as Draft<BackupSchedule>);
    const { status } = await stage.until(backupScheduleResource, "hourly", "Active");
    expect(status?.lastSchedule).toBeUndefined();
    return new Hourly(stage, firstSlot);
  }

  /** On the operator's clock it is now some seconds past the slot of this number, from 1. */
  pass(slot: number): void {
    const now = this.#firstSlot + (slot - 1) * HOUR + 2_000;
    this.#stage.world.operator.clock.err(now - systemClock.now());
  }

  /** The Backup of the slot of this number, once it has succeeded. */
  async backup(slot: number): Promise<Backup> {
    const { namespace, world } = this.#stage;
    const latest = async () => {
      const { status } = await world.client.get(backupScheduleResource, { namespace, name: "hourly" });
      return status?.lastSchedule?.backupRef?.name;
    };
    const before = await latest();
    this.pass(slot);
    const name = await this.#stage.eventually("the schedule has made another Backup", async () => {
      const value = await latest();
      return { done: value !== before, value };
    });
    return this.#stage.until(backupResource, name ?? "", "Succeeded", ["Failed"]);
  }
}
