import { expect, test } from "vitest";
import { moverContainer } from "../../src/core/work/mover_container.ts";
import { POOL_LABEL } from "../../src/core/work/run_labels.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type Repository, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Pods } from "../../src/kube/builtin.ts";
import type { Partially } from "../../src/kube/object.ts";
import { isTriedHere } from "./faults_moments.ts";
import { HOUSEHOLD } from "./household.ts";
import { S3Proxy } from "./s3_proxy.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const NAMES = ["one", "two", "three"] as const;

/** How much is done at once on a repository, and what becomes of those who wait. */
export function queue(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  test("Backups take turns on a repository, and one that waits can be cancelled", {
    timeout: 180_000,
  }, async () => {
    await using stage = await Stage.enter(world, "kopia");
    await withRepository(stage, { concurrency: { maxRuns: 1 } });
    for (const name of NAMES) await stage.beginBackup(name, "data");
    await stage.beginBackup("unwanted", "data");
    await reason(stage, "unwanted", "Queued");
    await annotate(stage, "unwanted", ANNOTATIONS.cancel, "true");
    const movers = new Set<number>();
    await stage.eventually("all have succeeded", async () => {
      movers.add(await liveMovers(stage));
      const all = await Promise.all(NAMES.map((name) => backupOf(stage, name)));
      return { done: all.every(({ status }) => status?.phase === "Succeeded"), value: all };
    });
    expect(Math.max(...movers)).toBe(1);
    await reason(stage, "unwanted", "Cancelled");
    expect((await backupOf(stage, "unwanted")).status?.phase).toBe("Failed");
  });

  test.runIf(isTriedHere(1))(
    "many deletions at once are held until somebody acknowledges them",
    { timeout: 600_000 },
    async () => {
      await using stage = await Stage.enter(world, "restic");
      await withRepository(stage, { deletionGuard: { maxDeletions: 2 } });
      for (const name of NAMES) await stage.backup(name, "data");
      for (const name of NAMES)
        await world.client.delete(backupResource, { namespace: stage.namespace, name });
      for (const name of NAMES) await reason(stage, name, "DeletionHeld");
      const { metadata, status } = await stage.eventually("all three are held", async () => {
        const value = await repositoryOf(stage);
        return { done: value.status?.deletions?.held === 3, value };
      });
      const annotations = { [ANNOTATIONS.acknowledgeDeletions]: status?.deletions?.acknowledgeToken ?? "" };
      await world.client.patch(repositoryResource, metadata, {
        type: "merge",
        patch: { metadata: { annotations } },
      });
      for (const name of NAMES) await stage.gone(backupResource, name);
      const failed = await stage.failingRestore("again", { fromConfig: { name: "data" } }, "again", {
        onMissingSnapshot: "Fail",
      });
      expect(failed.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", reason: "NoSnapshot" }),
      );
    },
  );

  test("while the storage is away new work waits, and goes on when it is back", {
    timeout: 600_000,
  }, async ({ skip }) => {
    const { s3, hostAddress } = world;
    if (!s3) return skip("this world has no S3 server");
    using proxy = await S3Proxy.to(s3.endpoint, hostAddress);
    await using stage = await Stage.enter(world, "kopia");
    await stage.repositoryInS3(proxy.endpoint);
    await stage.filledClaim("data", HOUSEHOLD);
    await stage.recipe("data", "repository");
    proxy.manner = "away";
    for (const name of NAMES) await stage.beginBackup(name, "data");
    await stage.eventually("the breaker is open", async () => {
      const value = await repositoryOf(stage);
      return { done: value.status?.breaker?.state === "Open", value: value.status };
    });
    await stage.beginBackup("later", "data");
    await reason(stage, "later", "BreakerOpen");
    proxy.manner = "well";
    for (const name of [...NAMES, "later"]) {
      const { status } = await stage.until(backupResource, name, "Succeeded", ["Failed"]);
      expect(status?.snapshot).toBeDefined();
    }
    await stage.eventually("the breaker is closed", async () => {
      const value = await repositoryOf(stage);
      return { done: value.status?.breaker?.state === "Closed", value: value.status };
    });
  });
}

async function withRepository(stage: Stage, spec: Partially<Repository["spec"]>): Promise<void> {
  await stage.repositoryOnVolume();
  const { metadata } = await repositoryOf(stage);
  const annotations = { [ANNOTATIONS.acknowledgeDeletions]: null };
  const patch = { metadata: { annotations }, spec };
  await stage.world.client.patch(repositoryResource, metadata, { type: "merge", patch } as never);
  await stage.eventually("the repository is ready again", async () => {
    const value = await repositoryOf(stage);
    const { phase, observedGeneration } = value.status ?? {};
    return { done: phase === "Ready" && observedGeneration === value.metadata.generation, value };
  });
  await stage.filledClaim("data", HOUSEHOLD);
  await stage.recipe("data", "repository");
}

function repositoryOf({ world, namespace }: Stage): Promise<Repository> {
  return world.client.get(repositoryResource, { namespace, name: "repository" });
}

function backupOf({ world, namespace }: Stage, name: string): Promise<Backup> {
  return world.client.get(backupResource, { namespace, name });
}

/** Waits until a Backup says this. */
async function reason(stage: Stage, name: string, wanted: string): Promise<void> {
  await stage.eventually(`Backup ${name} says ${wanted}`, async () => {
    const { status } = await backupOf(stage, name);
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return { done: ready?.reason === wanted, value: status };
  });
}

async function annotate(
  { world, namespace }: Stage,
  name: string,
  key: string,
  value: string,
): Promise<void> {
  const patch = { metadata: { annotations: { [key]: value } } };
  await world.client.patch(backupResource, { namespace, name }, { type: "merge", patch });
}

/** Movers of the stage that have begun and have not ended. */
async function liveMovers({ world, namespace }: Stage): Promise<number> {
  const { items } = await world.client.list(Pods, { namespace, labelSelector: POOL_LABEL });
  // A real kubelet shows the end of a container before it ends the pod's phase.
  return items.filter((pod) => moverContainer(pod).type === "running").length;
}
