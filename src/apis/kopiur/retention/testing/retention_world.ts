import { DELETION_REASON_ANNOTATION } from "../../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../../../kinds/kopiur/generated/backup_config.ts";
import { LABELS } from "../../../../kinds/kopiur/labels.ts";
import type { Draft } from "../../../../kube/object.ts";
import { MachineClock } from "../../../../lib/machine_clock.ts";
import { VirtualClock } from "../../../../lib/virtual_clock.ts";
import { RESOLVED_IDENTITY, readyConfig } from "../../testing/samples.ts";
import { SimulatedCluster } from "../../testing/simulated_cluster.ts";
import { type Fate, SimulatedOperator } from "../../testing/simulated_operator.ts";
import { retentionController } from "../retention_controller.ts";

const MINUTE = 60_000;
const repository = { kind: "Repository", name: "nas", namespace: "billing", uniqueID: "id-1" } as const;

/** A cluster in which Backups succeed at once, and deletions are noted. */
export class RetentionWorld extends SimulatedCluster {
  readonly clock: VirtualClock;
  readonly deleted: string[] = [];
  readonly operators: SimulatedOperator[] = [];
  readonly machine: MachineClock;
  fates: Fate[] = [];

  constructor() {
    const clock = new VirtualClock("2026-05-24T00:00:00Z");
    super(clock);
    this.clock = clock;
    this.machine = new MachineClock(clock);
  }

  start(): SimulatedOperator {
    const controllers = (ports: Parameters<typeof retentionController>[0]) => [retentionController(ports)];
    const fate = () => this.fates.shift() ?? "answered";
    const operator = new SimulatedOperator({ cluster: this, clock: this.machine, controllers, fate });
    this.operators.push(operator);
    return operator;
  }

  override async delete(
    ...[resource, name, options]: Parameters<SimulatedCluster["delete"]>
  ): Promise<boolean> {
    const { metadata } = await this.get(resource, name);
    await super.delete(resource, name, options);
    this.deleted.push(`${metadata.name} ${metadata.annotations?.[DELETION_REASON_ANNOTATION]}`);
    return true;
  }

  async recipe(): Promise<void> {
    const { spec, status } = readyConfig({
      spec: { retention: { keepLatest: 2, maxShrinkPercent: 50 } },
      status: { resolved: { repository, identity: RESOLVED_IDENTITY } },
    });
    const metadata = { namespace: "billing", name: "data" };
    await this.create(backupConfigResource, { metadata, spec, status } as Draft<BackupConfig>);
  }

  get config(): BackupConfig {
    const [config] = this.all(backupConfigResource);
    if (!config) throw new Error("there is no BackupConfig");
    return config;
  }

  async succeed(name: string, sizeBytes = 1000): Promise<Backup> {
    await this.clock.advance(MINUTE);
    const labels = { [LABELS.backupSchedule]: "nightly", [LABELS.backupConfig]: "data" };
    const { username, hostname } = RESOLVED_IDENTITY;
    const made = await this.create(backupResource, {
      metadata: { namespace: "billing", name, labels },
      spec: { configRef: { name: "data" } },
      status: {
        phase: "Succeeded",
        origin: "scheduled",
        resolved: { repository },
        timing: { endTime: new Date(this.clock.now()).toISOString() },
        snapshots: [
          {
            kopiaSnapshotID: `k-${name}`,
            identity: { username, hostname, sourcePath: "/pvc/data" },
            sizeBytes,
          },
        ],
      },
    } as Draft<Backup>);
    await this.clock.advance(0);
    return made;
  }
}
