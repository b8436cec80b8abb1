import type { RunningStorage } from "../../src/engines/testing/backend_cases.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupSchedule,
  backupScheduleResource,
} from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { LABELS } from "../../src/kinds/kopiur/labels.ts";
import type { Draft } from "../../src/kube/object.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { unlockedByHand } from "./bare_engine.ts";
import { openedAt } from "./faults_stage.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { untilCondition } from "./maintenance_stage.ts";
import { bornFrom, restoreOf, untilBorn } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

export const VOLUMES = { letters: HOUSEHOLD, films: FILMS } as const;
export const NAMES = Object.keys(VOLUMES) as (keyof typeof VOLUMES)[];
const SCHEDULE = "hourly";
const HOUR = 3_600_000;

export interface LostHome {
  readonly engine: EngineName;
  readonly storage: RunningStorage;
  readonly namespace: string;
  readonly password: string;
}

/** Everything that is in Git, and the claims once they have their data. */
export async function deployed(world: ScenarioWorld, home: LostHome): Promise<Stage> {
  const stage = await Stage.enter(world, home.engine, home.namespace);
  const { backend, credentials, password } = placeOf(home);
  const { bucket, prefix = "", region = "" } = backend.s3;
  const { port } = new URL(backend.s3.endpoint ?? "");
  const endpoint = `http://${world.hostAddress}:${port}`;
  const auth = { secretRef: { name: "repository" } };
  const s3 = { bucket, prefix, endpoint, region, addressing: "Auto", auth } as const;
  await stage.beginRepository({ s3 }, password, credentials);
  for (const name of NAMES) {
    await stage.recipe(name, "repository", { retention: { keepLatest: 1 } });
    await restoreOf(stage, name, { source: { fromConfig: { name } } });
    await bornFrom(stage, name, name);
  }
  await schedule(stage);
  await Promise.all([
    stage.untilReady(),
    ...NAMES.map((name) => untilBorn(stage, name)),
    untilScheduled(stage, 1),
  ]);
  return stage;
}

/** It runs at once, which finds the claim still being filled, and then in half an hour. */
async function schedule(stage: Stage): Promise<void> {
  const minute = new Date(systemClock.now() + HOUR / 2).getUTCMinutes();
  const draft = {
    metadata: { namespace: stage.namespace, name: SCHEDULE },
    spec: {
      configRef: { name: NAMES[0] ?? "" },
      schedule: { cron: `${minute} * * * *`, runOnCreate: true },
    },
  };
  await stage.world.client.create(backupScheduleResource, draft as Draft<BackupSchedule>);
}

/** The next slot of the schedule has come: what it makes is one more than retention keeps. */
export function passSlot({ world }: Stage): void {
  world.operator.clock.err(HOUR / 2);
}

/** As many Backups as these, and no more, were made by the schedule and have ended. */
export async function untilScheduled(stage: Stage, count: number): Promise<void> {
  const { namespace, world } = stage;
  await stage.eventually(`the schedule has made ${count}`, async () => {
    const labelSelector = `${LABELS.backupSchedule}=${SCHEDULE}`;
    const { items } = await world.client.list(backupResource, { namespace, labelSelector });
    const value = items.map(({ metadata, status }) => ({ name: metadata.name, status }));
    if (items.length > count) throw new Error(`${count} was to be made: ${JSON.stringify(value, null, 2)}`);
    return { done: value.length === count && value.every((one) => one.status?.phase === "Succeeded"), value };
  });
}

/** Every snapshot of the repository shows as one Backup, and every Backup has one. */
export async function untilListed(stage: Stage, home: LostHome): Promise<void> {
  const { namespace, world } = stage;
  await untilCondition(stage, repositoryResource, "repository", "CatalogCurrent", undefined, "True");
  await stage.eventually("the Backups are what the repository lists", async () => {
    const listed = await openedAt(home.engine, placeOf(home), async (repository) => {
      const ids: string[] = [];
      for await (const { id } of repository.list()) ids.push(id);
      return ids.toSorted();
    });
    const { items } = await world.client.list(backupResource, { namespace });
    const shown = items.map(({ status }) => status?.snapshot?.kopiaSnapshotID ?? "").toSorted();
    return { done: JSON.stringify(listed) === JSON.stringify(shown), value: { listed, shown } };
  });
}

/**
 * Whoever works alone with a repository of restic's leaves a lock when the cluster is lost, which keeps others out for the
 * half hour after which it counts as dead.
 */
export async function unlocked(home: LostHome): Promise<void> {
  const { backend, credentials, password } = placeOf(home);
  const { bucket, prefix = "", endpoint = "" } = backend.s3;
  const { AWS_ACCESS_KEY_ID: accessKey = "", AWS_SECRET_ACCESS_KEY: secretKey = "" } = credentials;
  await unlockedByHand({ s3: { bucket, endpoint, accessKey, secretKey }, prefix, password });
}

function placeOf({ storage, password }: LostHome) {
  const { backend, credentials } = storage.at("home/");
  if (!("s3" in backend)) throw new Error("the S3 server is none");
  return { backend, credentials, password };
}
