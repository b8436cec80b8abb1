import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MOVER_ACCOUNT } from "../../src/core/work/mover_accounts.ts";
import { RUN_LABEL } from "../../src/core/work/run_labels.ts";
import { describeTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims, ServiceAccounts } from "../../src/kube/builtin.ts";
import { EngineByHand } from "./engine_by_hand.ts";
import { LONG } from "./faults_moments.ts";
import { HOUSEHOLD } from "./household.ts";
import { keptByHand } from "./kept_by_hand.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import { usualClass } from "./usual_class.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** The first proven restore: what was in a volume is in another one afterwards, on either engine. */
export function backupAndRestore(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  test("a mover is admitted where only restricted pods are, and says which image and pull secret it lacks", {
    timeout: 300_000,
  }, async ({ skip }) => {
    if (!LONG) skip("in the long run alone: it takes half a minute");
    if (!world.s3 || !world.kubelet) skip("this world admits any pod, and pulls no images");
    const { client } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace } = stage;
    const name = await stage.repositoryInS3();
    const account = await client.get(ServiceAccounts, { namespace, name: MOVER_ACCOUNT });
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await client.patch(Namespaces, { name: namespace }, { type: "merge", patch: { metadata: { labels } } });
    const imagePullSecrets = [{ name: "absent" }];
    await client.patch(ServiceAccounts, account.metadata, { type: "merge", patch: { imagePullSecrets } });
    const spec = { moverDefaults: { privilegedMode: false }, kopiaImageOverride: "example.invalid/none:1" };
    await client.patch(repositoryResource, { namespace, name }, { type: "merge", patch: { spec } });
    const said = await stage.eventually("the repository says what its mover lacks", async () => {
      const { status } = await client.get(repositoryResource, { namespace, name });
      const { reason, message = "" } = status?.conditions?.find(({ type }) => type === "Ready") ?? {};
      const value = { reason, message };
      return { done: reason === "ImageUnavailable" && message.includes("create absent there"), value };
    });
    expect(said.message).toContain("The mover's image example.invalid/none:1 cannot be had");
  });

  /** A repository in S3 whose movers have no privileges. */
  const withoutPrivileges = async (stage: Stage) => {
    const name = await stage.repositoryInS3();
    const patch = { spec: { moverDefaults: { privilegedMode: false } } };
    await world.client.patch(
      repositoryResource,
      { namespace: stage.namespace, name },
      { type: "merge", patch },
    );
    return name;
  };

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test("a volume comes back as it was, from a repository on a volume", { timeout: 300_000 }, async () => {
      await using stage = await Stage.enter(world, engine);
      // In each world this one backup and restore is made with the engines as people get them.
      stage.keys = "shipped";
      await comesBackByHand(stage, await comesBack(stage, await stage.repositoryOnVolume()));
    });

    test("a volume comes back as it was, from a repository in S3", { timeout: 300_000 }, async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using stage = await Stage.enter(world, engine);
      await comesBack(stage, await stage.repositoryInS3());
    });

    test("a volume of one owner is read as that owner, once that is known", {
      timeout: 300_000,
    }, async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using stage = await Stage.enter(world, engine);
      const repository = await withoutPrivileges(stage);
      const owner = { uid: 1000, gid: 2000 };
      await stage.filledClaim("data", [
        { path: "", folder: {}, mode: 0o755, ...owner },
        { path: "shown", file: { text: "to everybody" }, mode: 0o644, ...owner },
      ]);
      await stage.recipe("data", repository, { mover: { privilegedMode: false } });
      const first = await stage.backup("first", "data");
      expect(first.status?.resolved?.owner).toBeUndefined();
      await world.put({ namespace: stage.namespace, name: "data" }, [
        { path: "hidden", file: { text: "from everybody else" }, mode: 0o600, ...owner },
      ]);
      const wanted = await stage.describe("data");
      const second = await stage.backup("second", "data");
      expect(second.status).toMatchObject({ resolved: { owner }, job: { attempts: 1 } });
      await stage.restore("again", { backupRef: { name: "second" } }, "restored");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
    });

    test("a first Backup of what only its owner may read is made as that owner", {
      timeout: 300_000,
    }, async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using stage = await Stage.enter(world, engine);
      const repository = await withoutPrivileges(stage);
      const owner = { uid: 1000, gid: 2000 };
      await stage.filledClaim("data", [
        { path: "base", folder: {}, mode: 0o700, ...owner },
        { path: "base/hidden", file: { text: "from everybody else" }, mode: 0o600, ...owner },
        { path: "shown", file: { text: "to everybody" }, mode: 0o644, ...owner },
      ]);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository, { mover: { privilegedMode: false } });
      const { status } = await stage.backup("first", "data", { failurePolicy: { backoffLimit: 0 } });
      expect(status).toMatchObject({ resolved: { owner }, job: { attempts: 2 } });
      expect(status?.failure).toBeUndefined();
      await stage.restore("again", { backupRef: { name: "first" } }, "restored");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
    });

    test("a deleted Backup takes its snapshot along, a retained one leaves it", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      await stage.recipe("data", repository);
      await stage.backup("goes", "data");
      await stage.backup("stays", "data", { deletionPolicy: "Retain" });
      await stage.remove(backupResource, "goes");
      await stage.remove(backupResource, "stays");
      const newest = await stage.restore("newest", { fromConfig: { name: "data" } }, "newest");
      expect(newest.status?.resolved?.snapshotID).toBeDefined();
      const before = await stage.failingRestore(
        "before",
        { fromConfig: { name: "data", offset: 1 } },
        "before",
        {
          onMissingSnapshot: "Fail",
        },
      );
      expect(before.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", status: "False", reason: "NoSnapshot" }),
      );
    });

    test("a Backup of what has not changed refers to the earlier snapshot, which stays with it", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository, { policy: { ignore: { ignoreIdenticalSnapshots: true } } });
      const first = await stage.backup("first", "data");
      const second = await stage.backup("second", "data");
      expect(first.status?.snapshot?.unchanged).toBeUndefined();
      expect(second.status?.snapshot).toMatchObject({
        unchanged: true,
        kopiaSnapshotID: first.status?.snapshot?.kopiaSnapshotID,
      });
      await stage.remove(backupResource, "first");
      await stage.restore("again", { backupRef: { name: "second" } }, "restored");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
      await stage.remove(backupResource, "second");
      // What nobody names any more is not referred to, whatever is left of it.
      const third = await stage.backup("third", "data");
      expect(third.status?.snapshot?.unchanged).toBeUndefined();
    });

    test("a cache of a storage class is a volume that comes and goes with its mover", {
      timeout: 300_000,
    }, async () => {
      await using stage = await Stage.enter(world, engine);
      const repository = await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const storageClassName = await usualClass(world);
      await stage.recipe("data", repository, {
        mover: { privilegedMode: true, cache: { capacity: "64Mi", storageClassName } },
      });
      const made = firstCache(stage);
      await stage.backup("first", "data");
      const cache = await made;
      expect(cache.spec).toMatchObject({
        storageClassName,
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "64Mi" } },
      });
      expect(cache.metadata.ownerReferences).toMatchObject([{ kind: "Pod" }]);
      await stage.gone(PersistentVolumeClaims, cache.metadata.name);
    });
  });
}

/** The first claim that is made for a run from now on. */
async function firstCache({ world: { client }, namespace }: Stage) {
  const { metadata } = await client.list(PersistentVolumeClaims, { namespace });
  const { resourceVersion = "" } = metadata;
  const stop = new AbortController();
  const select = { namespace, labelSelector: RUN_LABEL, resourceVersion, signal: stop.signal };
  for await (const event of client.watch(PersistentVolumeClaims, select)) {
    if (event.type !== "ADDED") continue;
    stop.abort();
    return event.object;
  }
  throw new Error("the watch ended before a claim was made");
}

/** What is in a volume is backed up into a repository, and comes back from it in another volume. */
export async function comesBack(stage: Stage, repository: string): Promise<Backup> {
  await stage.filledClaim("data", HOUSEHOLD);
  const wanted = await stage.describe("data");
  await stage.recipe("data", repository);

  const backup = await stage.backup("first", "data");
  expect(backup.status).toMatchObject({
    phase: "Succeeded",
    origin: "manual",
    snapshot: {
      identity: { username: "data", hostname: stage.namespace, sourcePath: "/pvc/data" },
      fidelity: "Full",
    },
    job: { attempts: 1 },
  });
  expect(backup.status?.stats?.sizeBytes).toBeGreaterThan(3_000_000);
  expect(backup.status?.losses).toBeUndefined();
  const account = { namespace: stage.namespace, name: MOVER_ACCOUNT };
  expect(await stage.world.client.get(ServiceAccounts, account)).toMatchObject({
    automountServiceAccountToken: false,
  });

  const restore = await stage.restore("again", { backupRef: { name: "first" } }, "restored");
  expect(restore.status).toMatchObject({
    phase: "Completed",
    resolved: { backupRef: { name: "first" }, snapshotID: backup.status?.snapshot?.kopiaSnapshotID },
    target: { pvcRef: { name: "restored" } },
  });
  expect(restore.status?.losses).toBeUndefined();
  expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);

  // The claim and its data are nobody's to take along.
  await stage.remove(restoreResource, "again");
  expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
  return backup;
}

/** Whoever has nothing but the engine, the repository's folder and the password gets all that the engine keeps. */
async function comesBackByHand(stage: Stage, { status }: Backup): Promise<void> {
  const { world, namespace, engine, password, keys } = stage;
  const volume = await world.folderOf({ namespace, name: "repository" });
  using hand = new EngineByHand({ engine, repository: join(volume, stage.folder), password, keys });
  await using home = await mkdtempDisposable(join(tmpdir(), "by-hand-"));
  const target = join(home.path, "restored");
  await hand.restore(status?.snapshot?.kopiaSnapshotID ?? "", target);
  const found = await describeTree(engine === "restic" ? join(target, "data") : target);
  expect(
    treeDifferences(keptByHand(engine, await stage.describe("data")), keptByHand(engine, found)),
  ).toEqual([]);
}
