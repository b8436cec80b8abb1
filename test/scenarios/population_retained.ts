import { expect, test } from "vitest";
import { primeName } from "../../src/core/volumes/populator/population_marks.ts";
import { describeTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../src/kube/builtin.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { bornFrom, classLike, readyReason, restoreOf, untilRestore } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** A volume that was kept for its data is free again, and fits the claims that are to be filled. */
export function retainedVolumes(world: () => ScenarioWorld): void {
  test("a volume that was there before is neither written nor deleted, whoever gets it", {
    timeout: 300_000,
  }, async () => {
    const { client, operator } = world();
    await using stage = await Stage.enter(world(), "kopia");
    const { namespace } = stage;
    await stage.repositoryOnVolume();
    await stage.filledClaim("data", HOUSEHOLD);
    const wanted = await stage.describe("data");
    await stage.recipe("data", "repository");
    await stage.backup("first", "data");
    await restoreOf(stage, "source", { source: { backupRef: { name: "first" } } });
    const className = await classLike(stage, "data", { reclaimPolicy: "Retain" });
    const kept = await retained(stage, className);

    // The claim itself gets it, so that nobody can fill it any more.
    await reserve(stage, kept.name, "bypassed");
    await bornFrom(stage, "bypassed", "source", className);
    const { status } = await untilRestore(stage, "source", "the claim got another volume", (one) =>
      Boolean(
        one.status?.conditions?.some(({ type, status }) => type === "PopulatorBypassed" && status === "True"),
      ),
    );
    expect(status?.claims).toMatchObject([{ name: "bypassed", phase: "Failed" }]);
    await isUntouched(stage, kept);
    await stage.remove(PersistentVolumeClaims, "bypassed");

    // The claim through which it would be filled gets it.
    const born = await operator.away(async () => {
      await bornFrom(stage, "born", "source", className);
      const claim = await client.get(PersistentVolumeClaims, { namespace, name: "born" });
      await reserve(stage, kept.name, primeName(claim));
      return claim;
    });
    const held = await untilRestore(stage, "source", "the volume is not new", (one) =>
      Boolean(one.status?.claims?.[0]?.message?.includes("may hold data")),
    );
    expect(held.status?.claims).toMatchObject([{ name: "born", phase: "Pending" }]);
    await isUntouched(stage, kept);

    // Whoever deletes the claim gives the volume back, as it was.
    await stage.remove(PersistentVolumeClaims, "born");
    await stage.gone(PersistentVolumeClaims, primeName(born));
    await isUntouched(stage, kept);

    // The claim through which a Restore's own new claim would be filled gets it.
    const pvc = { name: "restored", capacity: "100Mi", storageClassName: className };
    await restoreOf(stage, "again", { source: { backupRef: { name: "missing" } }, target: { pvc } });
    const restore = await client.get(restoreResource, { namespace, name: "again" });
    await reserve(stage, kept.name, primeName(restore));
    const spec = { source: { backupRef: { name: "first" } } };
    await client.patch(restoreResource, restore.metadata, { type: "merge", patch: { spec } });
    await untilRestore(stage, "again", "the volume is not new", (one) => readyReason(one) === "VolumeNotNew");
    await stage.remove(restoreResource, "again");
    await stage.gone(PersistentVolumeClaims, primeName(restore));
    await isUntouched(stage, kept);
    await stage.gone(PersistentVolumeClaims, "restored");

    await bornFrom(stage, "born", "source", className);
    await stage.until(PersistentVolumeClaims, "born", "Bound");
    expect(treeDifferences(wanted, await stage.describe("born"))).toEqual([]);
    const { volumeName } = (await client.get(PersistentVolumeClaims, { namespace, name: "born" })).spec ?? {};
    expect(volumeName).not.toBe(kept.name);

    await stage.remove(PersistentVolumeClaims, "born");
    for (const name of [kept.name, volumeName ?? ""]) await client.delete(PersistentVolumes, { name });
    await client.delete(StorageClasses, { name: className });
  });
}

interface Kept {
  readonly name: string;
  readonly folder: string;
  readonly tree: Awaited<ReturnType<typeof describeTree>>;
}

/** A volume with data in it, whose claim is gone. */
async function retained(stage: Stage, storageClassName: string): Promise<Kept> {
  const { client, folderOf, put } = stage.world;
  const claim = { namespace: stage.namespace, name: "old" };
  await client.create(PersistentVolumeClaims, {
    metadata: claim,
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "100Mi" } },
      storageClassName,
    },
  });
  await stage.until(PersistentVolumeClaims, "old", "Bound");
  await put(claim, FILMS);
  const { spec } = await client.get(PersistentVolumeClaims, claim);
  const folder = await folderOf(claim);
  const tree = await describeTree(folder);
  await stage.remove(PersistentVolumeClaims, "old");
  return { name: spec?.volumeName ?? "", folder, tree };
}

/** Frees the volume for the claim of this name, and waits until those who bind know that. */
async function reserve(stage: Stage, volume: string, name: string): Promise<void> {
  const { world, namespace } = stage;
  const claimRef = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace,
    name,
    uid: null,
    resourceVersion: null,
  };
  const patch = { spec: { claimRef } } as object;
  await world.client.patch(PersistentVolumes, { name: volume }, { type: "merge", patch });
  await stage.eventually(`${volume} is free`, async () => {
    const { status } = await world.client.get(PersistentVolumes, { name: volume });
    return { done: status?.phase === "Available", value: status };
  });
}

async function isUntouched({ world }: Stage, { name, folder, tree }: Kept): Promise<void> {
  const { spec } = await world.client.get(PersistentVolumes, { name });
  expect(spec?.persistentVolumeReclaimPolicy).toBe("Retain");
  expect(treeDifferences(tree, await describeTree(folder))).toEqual([]);
}
