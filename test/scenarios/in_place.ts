import { describe, expect, test } from "vitest";
import { SCALED_FOR, SCALED_FROM } from "../../src/core/workloads/scaling/scaling_marks.ts";
import { type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Pods, StatefulSets } from "../../src/kube/builtin.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { podDraft, startPod } from "./claim_pod.ts";
import { HOUSEHOLD } from "./household.ts";
import { readyReason, restoreOf, untilRestore } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const TIMEOUT = { timeout: 240_000 };
const SLEEPS = "setInterval(() => {}, 1000)";
const KEEPER = "keeper";

/** What somebody has done to a volume since its backup. */
const DAMAGE: readonly TreeEntry[] = [
  { path: "letters/first.txt", file: { text: "not what was written" } },
  { path: "intruder", file: { text: "was never backed up" } },
];

/** What was in a volume comes back into the same volume, while nobody uses it. */
export function inPlace(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(open, (opened) => {
    world = opened;
  });

  /** A volume that was backed up and is damaged, what it held, and an image that has node. */
  const damaged = async (stage: Stage) => {
    await stage.repositoryOnVolume();
    await stage.filledClaim("data", HOUSEHOLD);
    const wanted = await stage.describe("data");
    await stage.recipe("data", "repository");
    const { status } = await stage.backup("first", "data");
    await world.put({ namespace: stage.namespace, name: "data" }, DAMAGE);
    expect(treeDifferences(wanted, await stage.describe("data"))).not.toEqual([]);
    return { wanted, image: status?.job?.image ?? "" };
  };

  const back = (stage: Stage, scaleDownWorkloads = false) =>
    restoreOf(stage, "back", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data", scaleDownWorkloads } },
      options: { ownership: "Exact", enableFileDeletion: true },
    });

  describe.each(["kopia", "restic"] as const)("with %s", (engine) => {
    test("a volume becomes again what it was, once nothing mounts it", TIMEOUT, async () => {
      await using stage = await Stage.enter(world, engine);
      const { wanted, image } = await damaged(stage);
      await startPod(stage, { name: "user", claim: "data", image, script: SLEEPS });
      await stage.until(Pods, "user", "Running");
      await back(stage);
      const refused = await untilRestore(
        stage,
        "back",
        "refused",
        (one) => readyReason(one) === "VolumeInUse",
      );
      expect(refused.status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Ready", message: expect.stringContaining("scaleDownWorkloads") }),
      );
      expect(treeDifferences(wanted, await stage.describe("data"))).not.toEqual([]);
      await stage.remove(Pods, "user");
      await stage.until(restoreResource, "back", "Completed", ["Failed"]);
      expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
    });
  });

  test("a single path comes back, and all else stays", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const { wanted } = await damaged(stage);
    await restoreOf(stage, "back", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data" } },
      options: { path: "letters/first.txt", ownership: "Exact" },
    });
    await stage.until(restoreResource, "back", "Completed", ["Failed"]);
    const found = await stage.describe("data");
    const at = (path: string, entries: typeof found) => entries.filter((one) => one.path === path);
    expect(found).toContainEqual(expect.objectContaining({ path: "intruder" }));
    expect(at("first.txt", found).map(({ sha256 }) => sha256)).toEqual(
      at("letters/first.txt", wanted).map(({ sha256 }) => sha256),
    );
  });

  test(
    "a workload goes down for the restore and comes back after it, whoever finishes it",
    TIMEOUT,
    async () => {
      await using stage = await Stage.enter(world, "kopia");
      const { wanted, image } = await damaged(stage);
      await using workload = await StatefulWorkload.start(stage, image);
      await back(stage, true);
      await workload.until("down", ({ replicas }) => replicas === 0);
      await world.operator.replace();
      await stage.until(restoreResource, "back", "Completed", ["Failed"]);
      expect(treeDifferences(wanted, await stage.describe("data"))).toEqual([]);
      await workload.isBack();
      const restore = await untilRestore(
        stage,
        "back",
        "nothing is held",
        ({ metadata }) => !metadata.finalizers,
      );
      expect(restore.status?.scaledWorkloads).toBeUndefined();
    },
  );

  test("a workload comes back when the restore failed, and when it was deleted", TIMEOUT, async () => {
    await using stage = await Stage.enter(world, "kopia");
    const { image } = await damaged(stage);
    await using workload = await StatefulWorkload.start(stage, image);
    await restoreOf(stage, "fails", {
      source: { backupRef: { name: "first" } },
      target: { pvcRef: { name: "data", scaleDownWorkloads: true } },
      options: { existingFiles: "Refuse" },
    });
    await stage.until(restoreResource, "fails", "Failed", ["Completed"]);
    await workload.isBack();
    await back(stage, true);
    await workload.until("down", ({ replicas }) => replicas === 0);
    await stage.remove(restoreResource, "back");
    await workload.isBack();
  });
}

interface Seen {
  readonly replicas: number | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A StatefulSet whose pod has the claim. Where nothing runs its pods, this does. */
class StatefulWorkload implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #image: string;
  readonly #stop = new AbortController();
  #runs: Promise<void> = Promise.resolve();

  private constructor(stage: Stage, image: string) {
    this.#stage = stage;
    this.#image = image;
  }

  static async start(stage: Stage, image: string): Promise<StatefulWorkload> {
    const workload = new StatefulWorkload(stage, image);
    const pod = workload.#pod();
    await stage.world.client.create(StatefulSets, {
      metadata: { namespace: stage.namespace, name: KEEPER },
      spec: {
        replicas: 1,
        serviceName: KEEPER,
        selector: { matchLabels: { app: KEEPER } },
        template: {
          metadata: { labels: { app: KEEPER } },
          spec: { containers: [], ...pod.spec, restartPolicy: "Always" },
        },
      },
    });
    if (!stage.world.kubelet) workload.#runs = workload.#run();
    await workload.#runsPod();
    return workload;
  }

  async #runsPod(): Promise<void> {
    const { namespace, world } = this.#stage;
    await this.#stage.eventually("its pod runs", async () => {
      const { items } = await world.client.list(Pods, { namespace, labelSelector: `app=${KEEPER}` });
      const value = items.map(({ status }) => status?.phase);
      return { done: value.includes("Running"), value };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#runs;
  }

  async seen(): Promise<Seen> {
    const key = { namespace: this.#stage.namespace, name: KEEPER };
    const { metadata, spec } = await this.#stage.world.client.get(StatefulSets, key);
    return { replicas: spec?.replicas, annotations: metadata.annotations ?? {} };
  }

  async until(what: string, isSo: (seen: Seen) => boolean): Promise<void> {
    await this.#stage.eventually(`the workload is ${what}`, async () => {
      const value = await this.seen();
      return { done: isSo(value), value };
    });
  }

  async isBack(): Promise<void> {
    await this.until("back", ({ replicas }) => replicas === 1);
    await this.until(
      "unmarked",
      ({ annotations }) => !(SCALED_FOR in annotations || SCALED_FROM in annotations),
    );
    await this.#runsPod();
  }

  #pod() {
    const stage = this.#stage;
    return podDraft(stage, { name: KEEPER, claim: "data", image: this.#image, script: SLEEPS });
  }

  /** What the StatefulSet's controller does on a cluster. */
  async #run(): Promise<void> {
    const { client } = this.#stage.world;
    const { namespace } = this.#stage;
    const name = `${KEEPER}-0`;
    while (!this.#stop.signal.aborted) {
      const set = await client.get(StatefulSets, { namespace, name: KEEPER });
      const { items } = await client.list(Pods, { namespace });
      const pod = items.find(({ metadata }) => metadata.name === name);
      const { uid } = set.metadata;
      const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: KEEPER, uid, controller: true };
      if (set.spec?.replicas === 0 && pod && !pod.metadata.deletionTimestamp)
        await client.delete(Pods, pod.metadata);
      if (set.spec?.replicas !== 0 && !pod) {
        const draft = this.#pod();
        await client.create(Pods, {
          ...draft,
          metadata: { ...draft.metadata, name, ownerReferences: [owner] },
        });
      }
      await sleep(systemClock, 100);
    }
  }
}
