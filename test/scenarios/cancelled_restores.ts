import { describe, expect, test } from "vitest";
import type { TreeEntry } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Restore, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { isNotFound } from "../../src/kube/api_error.ts";
import { Jobs, PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import { Moments } from "./faults_moments.ts";
import { bornFrom, readyReason, restoreOf, untilRestore } from "./population_stage.ts";
import { S3Proxy } from "./s3_proxy.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** Small files that a restore writes at once, and a large one that it fetches for as long as the server lets it wait. */
const TREE: readonly TreeEntry[] = [
  ...Array.from({ length: 20 }, (_, n) => ({ path: `small/${n}`, file: { text: `file ${n}` } })),
  { path: "large", file: { random: { bytes: 12_000_000, seed: 7 } } },
];
const HEAVY = 1_000_000;
const source = { backupRef: { name: "first" } };

/** Somebody ends Restores while their movers write: nothing half written is handed over, or said to be restored. */
export function cancelledRestores(world: () => ScenarioWorld): void {
  const moments = new Moments(11);
  describe.each(moments.engines())("with %s", (engine) => {
    test("Restores that are cancelled under way hand nothing over", { timeout: 480_000 }, async ({
      skip,
    }) => {
      const { s3, hostAddress } = world();
      if (!s3) return skip("this world has no S3 server");
      using proxy = await S3Proxy.to(s3.endpoint, hostAddress);
      await using stage = await Stage.enter(world(), engine);
      await stage.repositoryInS3(proxy.endpoint);
      await stage.filledClaim("data", TREE);
      await stage.recipe("data", "repository");
      await stage.backup("first", "data");
      const other = { path: "large", file: { random: { bytes: 12_000_000, seed: 8 } } };
      await world().put({ namespace: stage.namespace, name: "data" }, [other]);

      const begins = {
        new: () => stage.beginRestore("new", source, "new"),
        existing: () =>
          restoreOf(stage, "existing", {
            source,
            target: { pvcRef: { name: "data", backupFirst: false } },
            options: { enableFileDeletion: true },
          }),
        populating: async () => {
          await restoreOf(stage, "populating", { source });
          await bornFrom(stage, "born", "populating");
        },
      };
      for (const [name, begin] of Object.entries(begins)) {
        proxy.heaviest = HEAVY;
        await begin();
        await stage.eventually(`${name}: its mover waits for the large file`, async () => ({
          done: proxy.manner === "hung",
          value: await stage.world.client.get(restoreResource, { namespace: stage.namespace, name }),
        }));
        await cancel(stage, name);
        // What waits goes on waiting. What tidies up is answered.
        proxy.heaviest = Number.POSITIVE_INFINITY;
        proxy.manner = "well";
        const { status } = await stage.until(restoreResource, name, "Failed", ["Completed"]);
        const restored = status?.conditions?.find(({ type }) => type === "Restored");
        expect(restored?.status).not.toBe("True");
      }

      const existing = await untilRestore(stage, "existing", "Cancelled", isCancelled);
      expect(existing.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "TargetIncomplete", status: "True" }),
      );
      await untilRestore(stage, "new", "Cancelled", isCancelled);
      await stage.eventually("no mover is left", async () => {
        const { items } = await world().client.list(Jobs, { namespace: stage.namespace });
        const left = items.map(({ metadata }) => metadata.name);
        return { done: left.length === 0, value: left };
      });
      expect(await phaseOf(stage, "new")).not.toBe("Bound");
      expect(await phaseOf(stage, "born")).toBe("Pending");
    });
  });
}

const isCancelled = (restore: Restore) => readyReason(restore) === "Cancelled";

async function cancel({ world, namespace }: Stage, name: string): Promise<void> {
  const patch = { metadata: { annotations: { [ANNOTATIONS.cancel]: "true" } } };
  await world.client.patch(restoreResource, { namespace, name }, { type: "merge", patch } as never);
}

/** The phase of a PVC, where there is one. */
async function phaseOf({ world, namespace }: Stage, name: string): Promise<string | undefined> {
  const claim = await world.client
    .get(PersistentVolumeClaims, { namespace, name })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
  return claim?.status?.phase;
}
