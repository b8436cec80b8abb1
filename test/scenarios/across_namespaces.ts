import { expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Jobs, Namespaces, Secrets } from "../../src/kube/builtin.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { HOUSEHOLD } from "./household.ts";
import { bornFrom, readyReason, restoreOf, untilBorn, untilRestore } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

export interface AcrossNamespacesOptions {
  /** Also a recipe for claims of several namespaces, which has more runs than the others together. */
  readonly reaching: boolean;
}

/** What one namespace backed up comes back in another that it allows, and nowhere else. */
export function acrossNamespaces(open: OpenWorld, options: AcrossNamespacesOptions): void {
  let world: ScenarioWorld;

  withWorld(
    () => open({ lending: true }),
    (opened) => {
      world = opened;
    },
  );

  test("a recipe says who may restore what it backed up", { timeout: 240_000 }, async ({ skip }) => {
    if (!world.s3) skip("this world has no S3 server");
    await using owner = await Stage.enter(world, "kopia");
    await using guest = await Stage.enter(world, "kopia");
    await using stranger = await Stage.enter(world, "kopia");
    const { namespace } = owner;
    await owner.repositoryInS3();
    await owner.filledClaim("data", HOUSEHOLD);
    const wanted = await owner.describe("data");
    await owner.recipe("data", "repository");
    await owner.backup("first", "data");

    const source = { backupRef: { name: "first", namespace } };
    await stranger.beginRestore("taken", source, "taken");
    await untilRestore(stranger, "taken", "refused", (one) => readyReason(one) === "CrossNamespaceForbidden");
    await restoreOf(stranger, "born", { source: { fromConfig: { name: "data", namespace } } });
    await bornFrom(stranger, "data", "born");
    const refused = await untilRestore(
      stranger,
      "born",
      "refused",
      (one) => readyReason(one) === "CrossNamespaceForbidden",
    );
    expect(refused.status?.resolved).toBeUndefined();

    const patch = { spec: { allowedNamespaces: { list: [guest.namespace] } } };
    await world.client.patch(backupConfigResource, { namespace, name: "data" }, { type: "merge", patch });
    await guest.restore("given", source, "given");
    expect(treeDifferences(wanted, await guest.describe("given"))).toEqual([]);
    await restoreOf(guest, "born", { source: { fromConfig: { name: "data", namespace } } });
    await bornFrom(guest, "data", "born");
    await untilBorn(guest, "data");
    expect(treeDifferences(wanted, await guest.describe("data"))).toEqual([]);
  });

  test("a recipe is run for another namespace that it allows, beside its claims, and nowhere else", {
    timeout: 240_000,
  }, async ({ skip }) => {
    if (!world.s3) skip("this world has no S3 server");
    await using owner = await Stage.enter(world, "kopia");
    await using guest = await Stage.enter(world, "kopia");
    await using stranger = await Stage.enter(world, "kopia");
    const { namespace } = owner;
    await owner.repositoryInS3();
    await owner.filledClaim("data", HOUSEHOLD);
    const wanted = await owner.describe("data");
    await owner.recipe("data", "repository");
    const patch = { spec: { allowedNamespaces: { list: [guest.namespace] } } };
    await world.client.patch(backupConfigResource, { namespace, name: "data" }, { type: "merge", patch });

    const configRef = { name: "data", namespace };
    await stranger.beginBackup("taken", "data", { configRef });
    await stranger.eventually("the stranger's Backup is refused", async () => {
      const value = await world.client.get(backupResource, { namespace: stranger.namespace, name: "taken" });
      const ready = value.status?.conditions?.find(({ type }) => type === "Ready");
      return { done: ready?.reason === "CrossNamespaceForbidden", value };
    });

    const asked = await guest.backup("asked", "data", { configRef });
    const { backupRef, snapshots } = asked.status ?? {};
    expect(snapshots).toBeUndefined();
    expect(backupRef).toMatchObject({ namespace });
    const { name = "" } = backupRef ?? {};
    const made = await world.client.get(backupResource, { namespace, name });
    expect(made.status?.snapshots).toHaveLength(1);
    // Nothing of the run, and no password, was ever where it was asked for.
    expect((await world.client.list(Jobs, { namespace: guest.namespace })).items).toEqual([]);
    expect((await world.client.list(Secrets, { namespace: guest.namespace })).items).toEqual([]);
    await guest.restore("given", { backupRef: { name, namespace } }, "given");
    expect(treeDifferences(wanted, await guest.describe("given"))).toEqual([]);

    await guest.remove(backupResource, "asked");
    await owner.gone(backupResource, name);
  });

  test("what was made for another namespace stays once its recipe does not allow that one any more", {
    timeout: 240_000,
  }, async ({ skip }) => {
    if (!world.s3) skip("this world has no S3 server");
    await using owner = await Stage.enter(world, "kopia");
    await using guest = await Stage.enter(world, "kopia");
    const { namespace } = owner;
    const recipe = { namespace, name: "data" };
    const allow = async (list: readonly string[]) => {
      const patch = { spec: { allowedNamespaces: { list } } };
      const { metadata } = await world.client.patch(backupConfigResource, recipe, { type: "merge", patch });
      await owner.eventually("the operator knows who is allowed", async () => {
        const value = await world.client.get(backupConfigResource, recipe);
        return { done: value.status?.observedGeneration === metadata.generation, value };
      });
    };
    await owner.repositoryInS3();
    await owner.filledClaim("data", HOUSEHOLD);
    await owner.recipe("data", "repository");
    await allow([guest.namespace]);
    const asked = await guest.backup("asked", "data", { configRef: recipe });
    const { name = "" } = asked.status?.backupRef ?? {};

    await allow([owner.namespace]);
    await guest.remove(backupResource, "asked");
    const { metadata, status } = await world.client.get(backupResource, { namespace, name });
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(status).toMatchObject({ phase: "Succeeded", snapshots: [{}] });
    await owner.remove(backupResource, name);
  });

  test.runIf(options.reaching)(
    "a recipe is run on the claims of each namespace that allows it, and of no other",
    {
      timeout: 240_000,
    },
    async ({ skip }) => {
      if (!world.s3) skip("this world has no S3 server");
      await using owner = await Stage.enter(world, "kopia");
      await using shop = await Stage.enter(world, "kopia");
      await using office = await Stage.enter(world, "kopia");
      await using stranger = await Stage.enter(world, "kopia");
      const { client } = world;
      const all = [shop, office, stranger];
      const matchNames = all.map(({ namespace }) => namespace);
      const consent = {
        metadata: { annotations: { [ANNOTATIONS.allowedConfigNamespaces]: owner.namespace } },
      };
      for (const { namespace: name } of [shop, office]) {
        await client.patch(Namespaces, { name }, { type: "merge", patch: consent });
      }
      const letters = (stage: Stage) => [{ path: "letter.txt", file: { text: `Dear ${stage.namespace},` } }];
      await Promise.all([
        owner.repositoryInS3(),
        ...all.map((stage) => stage.filledClaim("data", letters(stage))),
      ]);
      const shared = { spec: { allowedNamespaces: { list: matchNames } } };
      const repository = { namespace: owner.namespace, name: "repository" };
      const { metadata } = await client.patch(repositoryResource, repository, {
        type: "merge",
        patch: shared,
      });
      await owner.eventually("the operator knows with whom it is shared", async () => {
        const value = await client.get(repositoryResource, repository);
        return { done: value.status?.observedGeneration === metadata.generation, value };
      });
      await owner.recipe("data", "repository", {
        sources: [{ pvcSelector: { namespaceSelector: { matchNames } }, sourcePathStrategy: "PVCName" }],
      });

      await owner.beginBackup("asked", "data");
      const asked = await owner.until(backupResource, "asked", "Failed", ["Succeeded"]);
      const ready = asked.status?.conditions?.find(({ type }) => type === "Ready");
      expect(ready?.reason).toBe("FailedInPart");
      const parts = new Map(asked.status?.backupRefs?.map((one) => [one.namespace, one]));
      expect(parts.get(stranger.namespace)).toMatchObject({ phase: "Failed" });
      for (const kind of [backupConfigResource, backupResource, Jobs] as const) {
        expect((await client.list<KubeObject>(kind, { namespace: stranger.namespace })).items).toEqual([]);
      }
      // What each gets back is its own, recorded under its name.
      await Promise.all(
        [shop, office].map(async (stage) => {
          const { namespace } = stage;
          const { name = "" } = parts.get(namespace) ?? {};
          const made = await client.get(backupResource, { namespace, name });
          expect(made.status?.snapshots).toMatchObject([
            { identity: { username: "data", hostname: namespace } },
          ]);
          await stage.restore("again", { backupRef: { name } }, "again");
          expect(treeDifferences(await stage.describe("data"), await stage.describe("again"))).toEqual([]);
        }),
      );
    },
  );
}
