import { setFlagsFromString } from "node:v8";
import { scheduleControllers } from "../../src/apis/kopiur/schedule/schedule_controller.ts";
import { readyConfig, schedule } from "../../src/apis/kopiur/testing/samples.ts";
import { SimulatedCluster } from "../../src/apis/kopiur/testing/simulated_cluster.ts";
import { SimulatedOperator } from "../../src/apis/kopiur/testing/simulated_operator.ts";
import { slotName } from "../../src/core/policy/slot_name.ts";
import { scheduleRules } from "../../src/core/schedule/schedule_object.ts";
import { SCHEDULE_ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { Events } from "../../src/kube/builtin.ts";
import type { Writer } from "../../src/kube/client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { EventRecorder } from "../../src/kube/write/events.ts";
import { sleep } from "../../src/lib/clock.ts";
import { seededRandom } from "../../src/lib/random.ts";
import type { Budget } from "../../src/lib/token_bucket.ts";
import { VirtualClock } from "../../src/lib/virtual_clock.ts";
import { operatorBudgets } from "../../src/main/operator_budgets.ts";
import { silentLogger } from "../../src/observe/log.ts";

/*
 * The controller of schedules, with many of them, on a day that passes in the time that the work takes. Requests take a
 * while of that day, and Backups some minutes, after which they succeed and go. Prints what came of it.
 */
export interface ScheduleTask {
  readonly schedules: number;
  /** How long a request takes, in milliseconds of the simulated day. */
  readonly latency: number;
  /** No more is asked of the API server in a second than the shipped operator does. */
  readonly budgeted: boolean;
}

export interface ScheduleResult {
  readonly slots: number;
  readonly made: number;
  readonly twice: number;
  /** How late after its time, in milliseconds of the simulated day: 99 % were no later. */
  readonly late99: number;
  readonly latest: number;
  readonly cpuMs: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = "2026-05-24T00:00:00Z";

class Day extends SimulatedCluster {
  readonly clock: VirtualClock;
  /** Of every Backup, how late it was made. */
  readonly lateness = new Map<string, number>();
  readonly #latency: number;
  readonly #budget: Budget | undefined;
  twice = 0;

  constructor({ latency, budgeted }: ScheduleTask) {
    const clock = new VirtualClock(START);
    super(clock);
    this.clock = clock;
    this.#latency = latency;
    this.#budget = budgeted ? operatorBudgets(clock).usual : undefined;
  }

  async #request(): Promise<void> {
    await this.#budget?.take();
    await sleep(this.clock, this.#latency);
  }

  override async get<T extends KubeObject>(...args: Parameters<SimulatedCluster["get"]>): Promise<T> {
    await this.#request();
    return super.get(...args) as Promise<T>;
  }

  override async patch<T extends KubeObject>(...args: Parameters<SimulatedCluster["patch"]>): Promise<T> {
    await this.#request();
    const [resource, name, patch] = args;
    if (resource.kind === Events.kind) return { metadata: name } as T;
    return super.patch(resource, name, asSent(patch)) as Promise<T>;
  }

  override async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<T> {
    await this.#request();
    // What an API server has of them, until they expire, is not the operator's.
    if (resource.kind === Events.kind) return draft as unknown as T;
    const object = await super.create(resource, asSent(draft));
    if (resource.kind === "Backup") this.#begin(object as unknown as Backup);
    return object;
  }

  #begin({ metadata }: Backup): void {
    const { name } = metadata;
    const due = Date.parse(metadata.annotations?.[SCHEDULE_ANNOTATIONS.scheduledAt] ?? "");
    if (this.lateness.has(name)) this.twice += 1;
    this.lateness.set(name, this.clock.now() - this.#latency - due);
    this.clock.after(5 * MINUTE, () => void this.#end(metadata));
  }

  async #end(metadata: Backup["metadata"]): Promise<void> {
    const patch = { status: { phase: "Succeeded" } } as const;
    await super.patch(backupResource, metadata, { type: "merge", patch });
    // What a history of Backups costs is not the schedules' to answer for.
    this.clock.after(MINUTE, () => void super.delete(backupResource, metadata));
  }
}

/** As if it had come over a connection: nothing in it is shared. */
function asSent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Most run every night, some more often, some hundred all at once. */
function timesOf(i: number): { readonly cron: string; readonly jitter?: string } {
  if (i % 20 === 0) return { cron: "0 3 * * *" };
  if (i % 10 === 1) return { cron: "H * * * *", jitter: "10m" };
  if (i % 5 === 2) return { cron: "H H/6 * * *" };
  return { cron: "H H * * *", jitter: "30m" };
}

/** Still there when the memory is read, from outside. */
const running: SimulatedOperator[] = [];

async function measure(task: ScheduleTask): Promise<ScheduleResult> {
  const { schedules } = task;
  const day = new Day(task);
  const { spec, status } = readyConfig();
  const cluster = SimulatedCluster.prototype;
  const configs = { metadata: { namespace: "billing", name: "data" }, spec, status };
  await cluster.create.call(day, backupConfigResource, configs as never);
  for (let i = 0; i < schedules; i++) {
    const draft = {
      metadata: { namespace: "billing", name: `schedule-${i}` },
      spec: schedule({ spec: { schedule: timesOf(i) } }).spec,
    };
    await cluster.create.call(day, backupScheduleResource, asSent(draft) as never);
  }
  const begun = process.cpuUsage();
  const { clock } = day;
  const writer = day as unknown as Writer;
  const recorder = new EventRecorder({
    writer,
    clock,
    random: seededRandom(2),
    log: silentLogger,
    component: "operator",
  });
  const operator = new SimulatedOperator({ cluster: day, clock, controllers: scheduleControllers, recorder });
  await clock.advance(DAY + 2 * 60 * MINUTE);
  const { user, system } = process.cpuUsage(begun);
  running.push(operator);

  const from = Date.parse(START);
  const wanted = new Set<string>();
  for (const one of day.all(backupScheduleResource)) {
    const rules = scheduleRules(one);
    if (!rules.ok) throw new Error(rules.error.message);
    for (const slot of rules.value.cron.slotsBetween(from, from + DAY, 1_000))
      wanted.add(slotName(one.metadata.name, slot));
  }
  const late = [...day.lateness.values()].sort((a, b) => a - b);
  const made = [...day.lateness.keys()].filter((name) => wanted.has(name));
  return {
    slots: wanted.size,
    made: made.length,
    twice: day.twice,
    late99: late[Math.floor(late.length * 0.99)] ?? Number.NaN,
    latest: late.at(-1) ?? Number.NaN,
    cpuMs: (user + system) / 1000,
  };
}

// As the operator does.
setFlagsFromString("--optimize-for-size");

console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? "{}") as ScheduleTask)));
setInterval(() => {}, MINUTE);
