import { DELETION_REASON_ANNOTATION, SCHEDULE_ANNOTATIONS } from "../../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../../kinds/kopiur/generated/backup_config.ts";
import {
  type BackupScheduleSpec,
  backupScheduleResource,
} from "../../../../kinds/kopiur/generated/backup_schedule.ts";
import { MachineClock } from "../../../../lib/machine_clock.ts";
import { VirtualClock } from "../../../../lib/virtual_clock.ts";
import { readyConfig, schedule } from "../../testing/samples.ts";
import { SimulatedCluster } from "../../testing/simulated_cluster.ts";
import { type Fate, SimulatedOperator } from "../../testing/simulated_operator.ts";
import { scheduleControllers } from "../schedule_controller.ts";

/** A cluster that notes every Backup that is made in it. */
export class ScheduleWorld extends SimulatedCluster {
  readonly clock: VirtualClock;
  readonly made: {
    readonly name: string;
    readonly at: number;
    readonly due: string | undefined;
    readonly slot: string;
  }[] = [];
  /** Why Backups were deleted. */
  readonly deleted: (string | undefined)[] = [];
  fates: Fate[] = [];
  /** No request reaches the API server. */
  away = false;
  #operators: SimulatedOperator[] = [];
  #machines: MachineClock[] = [];

  constructor(start = "2026-05-24T00:00:00Z") {
    const clock = new VirtualClock(start);
    super(clock);
    this.clock = clock;
  }

  override async create(...[resource, draft]: Parameters<SimulatedCluster["create"]>): Promise<never> {
    const object = await super.create(resource, draft);
    if (resource.kind === "Backup") {
      const due = object.metadata.annotations?.[SCHEDULE_ANNOTATIONS.scheduledAt];
      const slot = object.metadata.annotations?.[SCHEDULE_ANNOTATIONS.slot] ?? "";
      this.made.push({ name: object.metadata.name, at: this.clock.now(), due, slot });
    }
    return object as never;
  }

  override async delete(
    ...[resource, name, options]: Parameters<SimulatedCluster["delete"]>
  ): Promise<boolean> {
    const { metadata } = await this.get(resource, name);
    await super.delete(resource, name, options);
    this.deleted.push(metadata.annotations?.[DELETION_REASON_ANNOTATION]);
    return true;
  }

  get operators(): readonly SimulatedOperator[] {
    return this.#operators;
  }

  get names(): readonly string[] {
    return this.made.map(({ name }) => name);
  }

  start(): void {
    const clock = new MachineClock(this.clock);
    const fate = () => (this.away ? "lost" : (this.fates.shift() ?? "answered"));
    this.#machines.push(clock);
    this.#operators.push(
      new SimulatedOperator({ cluster: this, clock, fate, controllers: scheduleControllers }),
    );
  }

  killAll(): void {
    for (const operator of this.#operators) operator.kill();
    this.#operators = [];
    this.#machines = [];
  }

  err(by: number): void {
    for (const machine of this.#machines) machine.err(by);
  }

  /** All clocks are right, and every cache hears of everything. */
  heal(): void {
    this.fates = [];
    this.away = false;
    this.err(0);
    for (const operator of this.#operators) operator.goOn();
    if (this.#operators.length === 0) this.start();
  }

  async add(spec: Partial<BackupScheduleSpec["schedule"]>, limit = 3, name = "nightly"): Promise<void> {
    const { spec: whole } = schedule({ spec: { schedule: spec, failedJobsHistoryLimit: limit } });
    await this.create(backupScheduleResource, {
      metadata: { namespace: "billing", name },
      spec: whole,
    } as never);
  }

  async addConfig(): Promise<void> {
    const { spec, status } = readyConfig();
    const draft = { metadata: { namespace: "billing", name: "data" }, spec, status };
    await this.create(backupConfigResource, draft as never);
  }

  schedules() {
    return [...this.all(backupScheduleResource)];
  }

  get schedule() {
    const [first] = this.schedules();
    if (!first) throw new Error("there is no schedule");
    return first;
  }

  backups(): readonly Backup[] {
    return [...this.all(backupResource)];
  }

  async finish(phase: "Succeeded" | "Failed"): Promise<void> {
    for (const { metadata, status } of this.backups()) {
      if (status?.phase) continue;
      await this.patch(backupResource, metadata, { type: "merge", patch: { status: { phase } } });
    }
  }
}

/** A cluster with a BackupConfig, a schedule and an operator. */
export async function scheduleWorld(
  spec: Partial<BackupScheduleSpec["schedule"]> = {},
  limit?: number,
): Promise<ScheduleWorld> {
  const made = new ScheduleWorld();
  await made.addConfig();
  await made.add(spec, limit);
  made.start();
  await made.clock.advance(0);
  return made;
}
