import { expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { Namespaces, Secrets } from "../../src/kube/builtin.ts";
import { APIS } from "../../src/main/apis.ts";
import { GROUP, keepResource } from "../sample_api/keep.ts";
import { sample } from "../sample_api/sample_api.ts";
import { HOUSEHOLD } from "./household.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

/** A second API beside the first, in one operator: both back up and restore, in one engine room. */
export function sampleApi(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(
    () => open({ apis: [...APIS, sample] }),
    (opened) => {
      world = opened;
    },
  );

  test("a second API backs a claim up and restores it, beside the first", { timeout: 300_000 }, async () => {
    const { client } = world;
    await using stage = await Stage.enter(world, "kopia");
    const { namespace, password } = stage;
    const annotations = { [`${GROUP}/allow-privileged-movers`]: "true" };
    await client.patch(
      Namespaces,
      { name: namespace },
      { type: "merge", patch: { metadata: { annotations } } },
    );
    await client.create(Secrets, { metadata: { namespace, name: "keep" }, stringData: { password } });
    await stage.filledClaim("data", HOUSEHOLD);
    await stage.claim("kept");
    const wanted = await stage.describe("data");

    const first = (async () => {
      await stage.repositoryOnVolume();
      await stage.recipe("data", "repository");
      await stage.backup("native", "data");
    })();
    await client.create(keepResource, {
      metadata: { namespace, name: "keep" },
      spec: {
        claim: "data",
        store: { claim: "kept", secret: "keep" },
        restoreAs: { claim: "again", capacity: "100Mi" },
      },
    });
    const keep = await stage.until(keepResource, "keep", "Restored", ["Failed"]);
    await first;
    expect(keep.status).toMatchObject({
      repositoryID: expect.any(String),
      backup: { phase: "Succeeded", snapshots: [{ pvc: `${namespace}/data` }] },
      restore: { phase: "Completed" },
    });
    expect(treeDifferences(wanted, await stage.describe("again"))).toEqual([]);

    await client.delete(keepResource, { namespace, name: "keep" });
    await stage.gone(keepResource, "keep");
  });
}
