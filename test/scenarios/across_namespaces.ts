import { expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { HOUSEHOLD } from "./household.ts";
import { bornFrom, readyReason, restoreOf, untilBorn, untilRestore } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** What one namespace backed up comes back in another that it allows, and nowhere else. */
export function acrossNamespaces(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

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
}
