import { describe, expect, test } from "vitest";
import { PRIME_FOR } from "../../src/core/volumes/populator/population_marks.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import {
  Jobs,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  Secrets,
  StorageClasses,
} from "../../src/kube/builtin.ts";
import { startPod } from "./claim_pod.ts";
import { oneAfterAnother, someDeath } from "./faults_killed_operator.ts";
import { isTriedHere, Moments } from "./faults_moments.ts";
import { HOUSEHOLD } from "./household.ts";
import { retainedVolumes } from "./population_retained.ts";
import { selectedClaims } from "./population_selected.ts";
import { bornFrom, classLike, readyReason, restoreOf, untilBorn, untilRestore } from "./population_stage.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const TIMEOUT = { timeout: 480_000 };

/** A claim is born with its data: before anything can mount it, all of it is there. */
export function population(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test("several claims are born with the data of one Restore", TIMEOUT, async () => {
      await using stage = await Stage.enter(world, engine);
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      await stage.backup("first", "data");
      await bornFrom(stage, "early", "source");
      await restoreOf(stage, "source", { source: { backupRef: { name: "first" } } });
      await bornFrom(stage, "late", "source");
      for (const name of ["early", "late"]) {
        await untilBorn(stage, name);
        expect(treeDifferences(wanted, await stage.describe(name))).toEqual([]);
      }
      const { status } = await untilRestore(
        stage,
        "source",
        "done",
        (one) => one.status?.phase === "Completed",
      );
      expect(status).toMatchObject({
        claims: [
          { name: "early", phase: "Completed" },
          { name: "late", phase: "Completed" },
        ],
        resolved: { backupRef: { name: "first" } },
      });
      // A claim that is deleted and created again starts again.
      await stage.remove(PersistentVolumeClaims, "late");
      await bornFrom(stage, "late", "source");
      await untilBorn(stage, "late");
      expect(treeDifferences(wanted, await stage.describe("late"))).toEqual([]);
    });

    test(
      "the first deployment starts empty, every later one restored, and none without an answer",
      TIMEOUT,
      async () => {
        await using stage = await Stage.enter(world, engine);
        await stage.repositoryOnVolume();
        const deploy = async () => {
          await restoreOf(stage, "data", { source: { fromConfig: { name: "data" } } });
          await bornFrom(stage, "data", "data");
        };
        const tearDown = async () => {
          await stage.remove(PersistentVolumeClaims, "data");
          await stage.remove(restoreResource, "data");
        };
        await stage.recipe("data", "repository");
        await deploy();
        await untilBorn(stage, "data");
        expect((await stage.describe("data")).filter(({ path }) => path !== "")).toEqual([]);

        await stage.world.put({ namespace: stage.namespace, name: "data" }, HOUSEHOLD);
        const wanted = await stage.describe("data");
        await stage.backup("first", "data");
        await tearDown();
        await deploy();
        await untilBorn(stage, "data");
        expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);

        // Nobody can tell what the repository holds: then nothing is handed over.
        await tearDown();
        await password(stage, "not the password");
        await deploy();
        const stuck = await untilRestore(
          stage,
          "data",
          "the claim cannot be filled",
          ({ status }) =>
            status?.claims?.[0]?.phase === "Failed" || readyReasonOf(status) === "RepositoryNotReady",
        );
        expect(stuck.status?.resolved).toBeUndefined();
        const key = { namespace: stage.namespace, name: "data" };
        expect((await world.client.get(PersistentVolumeClaims, key)).status?.phase).toBe("Pending");
        await password(stage, stage.password);
        await tearDown();
        await deploy();
        await untilBorn(stage, "data");
        expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
      },
    );
  });

  test(
    "a claim that waits for its first consumer is filled where that is to run, before it starts",
    TIMEOUT,
    async () => {
      await using stage = await Stage.enter(world, "kopia");
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      const { status } = await stage.backup("first", "data");
      const className = await classLike(stage, "data", { volumeBindingMode: "WaitForFirstConsumer" });
      await restoreOf(stage, "source", { source: { backupRef: { name: "first" } } });
      await bornFrom(stage, "born", "source", className);
      await untilRestore(stage, "source", "it waits", (one) => readyReason(one) === "WaitForFirstConsumer");
      const script = `process.exit(require("fs").readdirSync("/data").length > 5 ? 0 : 1)`;
      const image = status?.job?.image ?? "";
      await startPod(stage, { name: "consumer", claim: "born", image, script });
      // So does whoever waits for the claim that a Restore makes, which needs no consumer but the mover.
      await startPod(stage, { name: "early", claim: "restored", image, script });
      const pvc = { name: "restored", capacity: "100Mi", storageClassName: className };
      await restoreOf(stage, "again", { source: { backupRef: { name: "first" } }, target: { pvc } });
      for (const [pod, claim] of Object.entries({ consumer: "born", early: "restored" })) {
        await untilBorn(stage, claim);
        await stage.until(Pods, pod, "Succeeded", ["Failed"]);
        expect(treeDifferences(wanted, await stage.describe(claim))).toEqual([]);
        await stage.remove(Pods, pod);
      }
      await stage.until(restoreResource, "again", "Completed", ["Failed"]);
      await world.client.delete(StorageClasses, { name: className });
    },
  );

  retainedVolumes(() => world);
  selectedClaims(() => world);

  test.runIf(isTriedHere(0))(
    "operators that die while they fill a claim hand it over whole, and once",
    TIMEOUT,
    async () => {
      const moments = new Moments(9);
      const [engine = "kopia"] = moments.engines();
      await using stage = await Stage.enter(world, engine);
      await stage.repositoryOnVolume();
      await stage.filledClaim("data", HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", "repository");
      await stage.backup("first", "data");
      await restoreOf(stage, "source", { source: { fromConfig: { name: "data", pvc: "data" } } });
      for (let time = 0; time < Moments.times; time++) {
        const deaths = Array.from({ length: 5 }, () => someDeath(moments));
        await moments.seeded(`operators that die at ${JSON.stringify(deaths)}`, async () => {
          const lives = oneAfterAnother(world.operator, deaths);
          const name = `born${time}`;
          await bornFrom(stage, name, "source");
          await stage.until(PersistentVolumeClaims, name, "Bound");
          await lives.end();
          await untilBorn(stage, name);
          expect(treeDifferences(wanted, await stage.describe(name))).toEqual([]);
        });
      }
      const { items } = await world.client.list(PersistentVolumes);
      const claims = await world.client.list(PersistentVolumeClaims, { namespace: stage.namespace });
      const known = new Set(claims.items.map(({ spec }) => spec?.volumeName));
      const left = items.filter(({ spec }) => spec?.claimRef?.namespace === stage.namespace);
      expect(left.filter(({ metadata }) => !known.has(metadata.name))).toEqual([]);
    },
  );

  test("a run that failed to fill a claim is let go, though nobody edits the Restore", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    await stage.repositoryOnVolume();
    const identity = { username: "u", hostname: "h", sourcePath: "/p", snapshotID: "0123456789abcdef" };
    const repository = { kind: "Repository", name: "repository" } as const;
    await restoreOf(stage, "source", { repository, source: { identity } });
    await bornFrom(stage, "born", "source");
    await untilRestore(stage, "source", "it failed", (one) => one.status?.claims?.[0]?.phase === "Failed");
    const { namespace } = stage;
    await stage.eventually("its Jobs are gone", async () => {
      const { items } = await world.client.list(Jobs, { namespace, labelSelector: PRIME_FOR });
      return { done: items.length === 0, value: items.map(({ metadata }) => metadata.name) };
    });
  });

  test("what was begun for a claim goes with it, and with the Restore", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    await stage.repositoryOnVolume();
    await restoreOf(stage, "source", { source: { backupRef: { name: "never" } } });
    await bornFrom(stage, "one", "source");
    await bornFrom(stage, "two", "source");
    const primes = (count: number) =>
      stage.eventually(`${count} prime claims`, async () => {
        const { items } = await world.client.list(PersistentVolumeClaims, { namespace: stage.namespace });
        const value = items
          .map(({ metadata }) => metadata.name)
          .filter((name) => name.startsWith("pvc-prime-"));
        return { done: value.length === count, value };
      });
    await primes(2);
    await stage.remove(PersistentVolumeClaims, "one");
    await primes(1);
    await stage.remove(restoreResource, "source");
    await primes(0);
  });
}

type Status = NonNullable<Awaited<ReturnType<typeof untilRestore>>["status"]>;

function readyReasonOf(status: Status | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

async function password(stage: Stage, text: string): Promise<void> {
  const key = { namespace: stage.namespace, name: "repository" };
  const data = { KOPIA_PASSWORD: Buffer.from(text).toString("base64") };
  await stage.world.client.patch(Secrets, key, { type: "merge", patch: { data } });
}
