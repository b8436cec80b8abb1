import { describe, expect, test } from "vitest";
import { type FoundEntry, type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupConfigSpec,
  backupConfigResource,
} from "../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { PersistentVolumeClaims, Pods } from "../../src/kube/builtin.ts";
import type { Partially } from "../../src/kube/object.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { capturedDifferences } from "./captured_differences.ts";
import { untilCondition } from "./maintenance_stage.ts";
import { Stage } from "./stage.ts";
import { nothingIsLeft } from "./staging_leftovers.ts";
import { DIARY, filledScene, nothingStaged, recipe, writer } from "./staging_stage.ts";
import { usualClass } from "./usual_class.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const WAYS: readonly [string, EngineName, Partially<BackupConfigSpec>][] = [
  ["a snapshot of the volume", "kopia", {}],
  ["a clone of the volume", "restic", { copyMethod: "Clone" }],
];

const OWNER = 4711;
const GROUP = 4712;

/** What nobody else may read, and its owner only in part without the group. */
const PRIVATE: readonly TreeEntry[] = [
  { path: "", folder: {}, mode: 0o700, uid: OWNER, gid: OWNER },
  { path: "key", file: { text: "secret" }, mode: 0o600, uid: OWNER, gid: OWNER },
  { path: "shared", file: { text: "for some" }, mode: 0o640, uid: 0, gid: GROUP },
];

/** What a mover reads is made before it runs, and is gone afterwards, whatever happens. */
export function staging(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  const scene = (engine?: EngineName) => filledScene(world, engine);

  test.each(WAYS)(
    "%s is what is read, and comes back (%s)",
    { timeout: 360_000 },
    async (_, engine, spec) => {
      await using stage = await scene(engine);
      const wanted = await stage.describe("data");
      await recipe(stage, "data", spec);
      const { status } = await stage.backup("first", "data");
      expect(status).toMatchObject({
        resolved: { copyMethod: spec.copyMethod ?? "Snapshot" },
        snapshot: { pvc: `${stage.namespace}/data`, identity: { sourcePath: "/pvc/data" } },
      });
      await nothingStaged(stage);
      await stage.restore("again", { backupRef: { name: "first" } }, "restored");
      const found = await stage.describe("restored");
      const differences =
        spec.copyMethod === "Clone"
          ? treeDifferences(wanted, found)
          : capturedDifferences(world, wanted, found);
      expect(differences).toEqual([]);
    },
  );

  test("a volume is read beside a pod that writes on it", { timeout: 480_000 }, async () => {
    await using stage = await scene();
    await recipe(stage, "data");
    await recipe(stage, "live", {
      sources: [{ pvc: { name: "data" }, sourcePathStrategy: "PVCName" }],
      copyMethod: "Direct",
    });
    const { status } = await stage.backup("before", "data");
    const wanted = await stage.describe("data");
    const pod = await writer(stage, { claim: "data", image: status?.job?.image ?? "" });
    await stage.backup("copied", "data");
    await stage.backup("direct", "live");
    const { metadata } = await world.client.get(Pods, { namespace: stage.namespace, name: "writer" });
    expect(metadata.uid).toBe(pod.metadata.uid);
    const captured = (wanted: readonly FoundEntry[], found: readonly FoundEntry[]) =>
      capturedDifferences(world, wanted, found);
    for (const [name, differences] of [
      ["copied", captured],
      ["direct", treeDifferences],
    ] as const) {
      await stage.restore(name, { backupRef: { name } }, name);
      const found = await stage.describe(name);
      expect(found).toContainEqual(expect.objectContaining({ path: DIARY }));
      expect(differences(untouched(wanted), untouched(found))).toEqual([]);
    }
    await nothingStaged(stage);
  });

  test("a mover without privileges reads as the workload does, with a cache where it may write", {
    timeout: 360_000,
  }, async ({ skip }) => {
    if (!world.s3) skip("this world has no S3 server");
    await using stage = await Stage.enter(world, "restic");
    await stage.repositoryInS3();
    const patch = { spec: { moverDefaults: { privilegedMode: false } } };
    const key = { namespace: stage.namespace, name: "repository" };
    await world.client.patch(repositoryResource, key, { type: "merge", patch });
    await stage.filledClaim("data", PRIVATE);
    const podSelector = { matchLabels: { app: "writer" } };
    const cache = { capacity: "64Mi", storageClassName: await usualClass(world) };
    await recipe(stage, "data", { mover: { inheritSecurityContextFrom: { podSelector }, cache } });
    await stage.beginBackup("alone", "data");
    await untilCondition(stage, backupResource, "alone", "Ready", "NoWorkloadPod");
    await stage.remove(backupResource, "alone");
    await nothingStaged(stage);
    await recipe(stage, "root", { sources: [{ pvc: { name: "data" }, sourcePathStrategy: "PVCName" }] });
    const { status } = await stage.backup("root", "root");
    const image = status?.job?.image ?? "";
    await writer(stage, { claim: "data", image, runAsUser: OWNER, fsGroup: GROUP });
    // Where the kubelet gave the volume to the workload's group, it is as before again: no mover may have it done anew.
    await world.put({ namespace: stage.namespace, name: "data" }, PRIVATE);
    const wanted = untouched(await stage.describe("data"));
    const { status: made } = await stage.backup("together", "data");
    await nothingStaged(stage);
    expect(treeDifferences(wanted, untouched(await stage.describe("data")))).toEqual([]);
    await stage.restore("again", { backupRef: { name: "together" } }, "restored");
    expect(capturedDifferences(world, wanted, untouched(await stage.describe("restored")))).toEqual([]);
    // A new volume is root's on the cluster, unless a mover has an fsGroup, and anybody's in the embedded world.
    const elsewhere = made?.conditions?.some(({ message }) =>
      message.includes("cache was on the node's disk"),
    );
    expect(elsewhere).toBe(world.kubelet !== undefined);
  });

  describe("several volumes", () => {
    const sources = [
      { pvcSelector: { labelSelector: { matchLabels: { app: "shop" } } }, sourcePathStrategy: "PVCName" },
    ] as const;

    const shop = async () => {
      const stage = await scene();
      await stage.filledClaim("images", [{ path: "one.raw", file: { random: { bytes: 5_000, seed: 7 } } }]);
      for (const name of ["data", "images"]) {
        const patch = { metadata: { labels: { app: "shop" } } };
        const key = { namespace: stage.namespace, name };
        await world.client.patch(PersistentVolumeClaims, key, { type: "merge", patch });
      }
      return stage;
    };

    test("are one Backup, each with its snapshot", { timeout: 360_000 }, async () => {
      await using stage = await shop();
      await recipe(stage, "shop", { sources, groupBy: "None" });
      const { status } = await stage.backup("both", "shop");
      const { namespace } = stage;
      expect(status?.snapshot).toBeUndefined();
      expect(status?.snapshots).toMatchObject([
        { pvc: `${namespace}/data`, identity: { sourcePath: "/pvc/data" } },
        { pvc: `${namespace}/images`, identity: { sourcePath: "/pvc/images" } },
      ]);
      for (const pvc of ["data", "images"]) {
        await stage.restore(pvc, { backupRef: { name: "both", pvc } }, `${pvc}-again`);
        const wanted = await stage.describe(pvc);
        expect(capturedDifferences(world, wanted, await stage.describe(`${pvc}-again`))).toEqual([]);
      }
      await nothingStaged(stage);
    });

    test("are not captured one by one where one moment is asked for", { timeout: 120_000 }, async () => {
      await using stage = await shop();
      await recipe(stage, "shop", { sources });
      const reason = "GroupSnapshotUnsupported";
      const { status } = await untilCondition(stage, backupConfigResource, "shop", "Ready", reason);
      expect(status?.phase).toBe("Failed");
      const refused = { status: "False", reason };
      expect(status?.conditions).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ type: "Ready", ...refused }),
          expect.objectContaining({ type: "GroupSnapshotSupported", ...refused }),
        ]),
      );
      await stage.beginBackup("both", "shop");
      const waiting = await untilCondition(stage, backupResource, "both", "Ready", "ConfigNotReady");
      expect(waiting.status?.phase).toBe("Pending");
      await nothingStaged(stage);
      await stage.remove(backupResource, "both");
    });
  });

  nothingIsLeft(() => world);
}

/** What the writer leaves alone; the time of the folder that it writes in is not. */
function untouched(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return entries.filter(({ path }) => path !== DIARY && path !== "");
}
