import { describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type RestoreSpec, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { HOUSEHOLD } from "./household.ts";
import { restoreOf, untilRestore } from "./population_stage.ts";
import { EMBEDDED_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The target's file system cannot hold all that the backup saw. */
export function otherFileSystems(world: () => ScenarioWorld): void {
  describe.each(EMBEDDED_ENGINES)("with %s, a target whose file system knows no attributes", (engine) => {
    test("is left empty, unless a loss is accepted, which is counted", { timeout: 600_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      await stage.backup("first", "data");
      await stage.claim("elsewhere");
      const target = { namespace: stage.namespace, name: "elsewhere" };
      using _ = await world().shrink(target, "200m", "ramfs");

      await begin(stage, "exact", "Exact");
      const { status } = await untilRestore(stage, "exact", "it fails", (one) => !!one.status?.failure);
      expect(status?.failure).toMatchObject({
        errorClass: "PrivilegesNeeded",
        message: expect.stringContaining("attributes"),
        remedy: expect.stringContaining("BestEffort"),
      });
      expect((await stage.describe("elsewhere")).map(({ path }) => path)).toEqual([""]);
      await stage.remove(restoreResource, "exact");

      await begin(stage, "best-effort", "BestEffort");
      const done = await stage.until(restoreResource, "best-effort", "Completed", ["Failed"]);
      expect(done.status?.losses).toContainEqual(expect.objectContaining({ kind: "ExtendedAttribute" }));
      expect(treeDifferences(wanted, await stage.describe("elsewhere"), { ignore: ["xattrs"] })).toEqual([]);
    });
  });
}

async function begin(
  stage: Stage,
  name: string,
  ownership: NonNullable<RestoreSpec["options"]["ownership"]>,
): Promise<void> {
  await restoreOf(stage, name, {
    source: { backupRef: { name: "first" } },
    target: { pvcRef: { name: "elsewhere" } },
    options: { ownership },
  });
}
