import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { LONG, Moments } from "./faults_moments.ts";
import {
  type Course,
  edit,
  followed,
  followedRestore,
  moverOf,
  nothingIsLeft,
  pause,
  repositoryIsSound,
  type Tree,
} from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import { type Manner, S3Proxy } from "./s3_proxy.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

const MANNERS = ["away", "slow", "failing", "breaking", "closing"] as const;

/** The server that keeps the repository falls ill, and recovers. */
export function illServers(world: () => ScenarioWorld): void {
  const moments = new Moments(3);
  describe.each(moments.engines())("with %s, an S3 server", (engine) => {
    test("may be away, slow, failing, breaking off or closing for a while", {
      timeout: Moments.timeout,
    }, async ({ skip }) => {
      const { s3, hostAddress } = world();
      if (!s3) return skip("this world has no S3 server");
      using proxy = await S3Proxy.to(s3.endpoint, hostAddress);
      await using stage = await Stage.enter(world(), engine);
      const repository = await stage.repositoryInS3(proxy.endpoint);
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);
      const backups: Backup[] = [await awayFromTheStart(stage, proxy)];
      for (let time = 0; time < Moments.times; time++) {
        for (const manner of LONG ? MANNERS : [moments.oneOf(MANNERS)]) {
          const after = moments.below(800);
          await moments.seeded(`a server that is ${manner} after ${after} ms`, async () => {
            const illness = { name: `${manner}x${time}`, manner, after };
            backups.push(await illMeanwhile(stage, proxy, illness));
            await illUnderRestore(stage, proxy, illness, wanted);
          });
        }
      }
      await repositoryIsSound(stage, backups, wanted);
      await nothingIsLeft(stage);
    });
  });
}

async function awayFromTheStart(stage: Stage, proxy: S3Proxy): Promise<Backup> {
  proxy.manner = "away";
  await stage.beginBackup("first", "data");
  const { status } = await stage.eventually("the failed attempt is told", async () => {
    const value = await stage.world.client.get(backupResource, { namespace: stage.namespace, name: "first" });
    return { done: value.status?.failure !== undefined, value };
  });
  expect(status).toMatchObject({
    phase: "Running",
    failure: {
      errorClass: "Unreachable",
      retry: "transient",
      remedy: expect.stringContaining("storage server"),
    },
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "Ready", status: "False", reason: "Unreachable" }),
    ]),
  });
  expect(status?.job?.nextAttemptAt).toBeDefined();
  proxy.manner = "well";
  await edit(stage, backupResource, "first");
  return stage.until(backupResource, "first", "Succeeded", ["Failed"]);
}

interface Illness {
  readonly name: string;
  readonly manner: Manner;
  /** Milliseconds from the mover's start. */
  readonly after: number;
}

/** Whether the engine sits it out or the attempt fails: in the end there is one snapshot. */
async function illMeanwhile(stage: Stage, proxy: S3Proxy, { name, manner, after }: Illness): Promise<Backup> {
  await stage.beginBackup(name, "data");
  await moverOf(stage, backupResource, name, "snapshot");
  await fallIll(proxy, { manner, after });
  const { object, failures } = await followed(stage, backupResource, name);
  expect(object.status).toMatchObject({ phase: "Succeeded", snapshot: { fidelity: "Full" } });
  await expectOnlyUnreachable(stage, failures);
  return object;
}

/** The same of a Restore of that Backup: in the end everything is there. */
async function illUnderRestore(
  stage: Stage,
  proxy: S3Proxy,
  { name, manner, after }: Illness,
  wanted: Tree,
): Promise<void> {
  const restore = `${name}-back`;
  await stage.beginRestore(restore, { backupRef: { name } }, restore);
  await moverOf(stage, restoreResource, restore, "restore");
  await fallIll(proxy, { manner, after });
  const { object, failures } = await followedRestore(stage, restore);
  expect(object.status).toMatchObject({ phase: "Completed" });
  expect(object.status?.losses).toBeUndefined();
  await expectOnlyUnreachable(stage, failures);
  expect(treeDifferences(wanted, await stage.describe(restore))).toEqual([]);
}

async function fallIll(proxy: S3Proxy, { manner, after }: Omit<Illness, "name">): Promise<void> {
  await pause(after);
  proxy.manner = manner;
  await pause(2_000);
  proxy.manner = "well";
}

async function expectOnlyUnreachable(stage: Stage, failures: Course<Backup>["failures"]): Promise<void> {
  for (const failure of failures)
    expect(failure).toMatchObject({ errorClass: "Unreachable", retry: "transient" });
  await stage.until(repositoryResource, "repository", "Ready", ["Failed"]);
}
