import { describe, expect, test } from "vitest";
import { embeddedHasNode } from "../../../../test/conformance/world/embedded_ground.ts";
import { isAlreadyExists } from "../../../kube/api_error.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../kube/builtin.ts";
import type { Claim } from "../claim_request.ts";
import { crashStage, deathsAt } from "../staging/testing/crash_stage.ts";
import { wasKilled } from "../staging/testing/mortal_sender.ts";
import { eventually, inTurns } from "../staging/testing/stage.ts";
import { FILLED_FOR, POLICY_KEPT } from "./population_marks.ts";
import { PopulationStage } from "./testing/population_stage.ts";

/** More than there are, so that the last of them are not reached. */
const DEATHS = deathsAt(11);

const CLASSES = [
  ["a class that binds at once", "holdfast-local", "Delete"],
  ["a class that waits for the first consumer", "holdfast-local-wait", "Delete"],
  ["a class that retains", "retained", "Retain"],
] as const;

describe.skipIf(!embeddedHasNode)(
  "an operator that dies while it fills a claim",
  { timeout: 120_000 },
  () => {
    const crashes = crashStage();

    test.each(CLASSES)("goes on after its restart, with %s", async (_, className, policy) => {
      const scene = new PopulationStage(crashes.stage, className);
      const died = await inTurns(DEATHS, async (death) => {
        const claim = await scene.claim();
        const killed = await wasKilled(scene.populated(claim, crashes.mortal(death)));
        const primes = await scene.primesOf(claim);
        if (killed) await scene.populated(claim);
        const { spec, status } = await scene.client.get(PersistentVolumeClaims, claim.metadata);
        expect(status?.phase).toBe("Bound");
        const volume = await scene.client.get(PersistentVolumes, { name: spec?.volumeName ?? "" });
        expect(volume.metadata.annotations).toMatchObject({ [FILLED_FOR]: claim.metadata.uid });
        expect(volume.metadata.annotations).not.toHaveProperty(POLICY_KEPT);
        expect(volume.spec).toMatchObject({
          claimRef: { uid: claim.metadata.uid },
          persistentVolumeReclaimPolicy: policy,
        });
        expect(await scene.volumesOf(claim, primes)).toHaveLength(1);
        return killed;
      });
      expect(died.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => true));
      expect(died.slice(-2)).toEqual([false, false]);
    });

    test.each(CLASSES)(
      "leaves nothing of a claim that is deleted meanwhile, with %s",
      async (_, className, policy) => {
        const scene = new PopulationStage(crashes.stage, className);
        await inTurns(DEATHS, async (death) => {
          const claim = await scene.claim();
          await wasKilled(scene.populated(claim, crashes.mortal(death)));
          const primes = await scene.primesOf(claim);
          const before = await scene.volumesOf(claim, primes);
          const handedOver = before.filter(({ metadata }) => metadata.annotations?.[FILLED_FOR]);
          await crashes.stage.client.delete(PersistentVolumeClaims, claim.metadata);
          await scene.ended(claim);
          // What the claim once had is kept where its class says so.
          if (policy === "Retain" && handedOver.length > 0)
            return release(handedOver.map((one) => one.metadata.name));
          await scene.noVolumeRemains(claim, primes);
        });
      },
    );

    test("begins again with a claim that was deleted and created again", async () => {
      const scene = new PopulationStage(crashes.stage, "holdfast-local");
      const first = await scene.claim();
      await wasKilled(scene.populated(first, crashes.mortal({ at: 3, carriedOut: false })));
      await crashes.stage.client.delete(PersistentVolumeClaims, first.metadata);
      const second = await eventually("the first one's end", () =>
        scene.claim(first.metadata.name).catch(ignoreTaken),
      );
      await scene.populated(second);
      await scene.ended(first);
      expect(await scene.volumesOf(second, [])).toHaveLength(1);
    });

    test("fills a claim although somebody deletes its prime claim", async () => {
      const scene = new PopulationStage(crashes.stage, "holdfast-local");
      await inTurns(DEATHS.slice(0, 6), async (death) => {
        const claim = await scene.claim();
        await wasKilled(scene.populated(claim, crashes.mortal(death)));
        const primes = await scene.primesOf(claim);
        for (const { metadata } of primes)
          await crashes.stage.client.delete(PersistentVolumeClaims, metadata);
        await scene.populated(claim);
        await oneVolumeRemains(scene, claim, primes);
      });
    });

    async function oneVolumeRemains(scene: PopulationStage, claim: Claim, primes: readonly Claim[]) {
      const names = async () => (await scene.volumesOf(claim, primes)).length;
      await expect.poll(names, { timeout: 20_000, interval: 200 }).toBe(1);
    }

    async function release(names: readonly string[]): Promise<void> {
      for (const name of names) {
        const volume = await crashes.stage.client.get(PersistentVolumes, { name });
        expect(volume.spec?.persistentVolumeReclaimPolicy).toBe("Retain");
        expect(volume.metadata.annotations).not.toHaveProperty(POLICY_KEPT);
        await crashes.stage.client.delete(PersistentVolumes, { name });
      }
    }
  },
);

function ignoreTaken(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
  return undefined;
}
