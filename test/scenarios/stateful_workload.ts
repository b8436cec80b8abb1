import { SCALED_FOR, SCALED_FROM } from "../../src/core/workloads/scaling/scaling_marks.ts";
import { Pods, StatefulSets } from "../../src/kube/builtin.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { podDraft } from "./claim_pod.ts";
import type { Stage } from "./stage.ts";

/** What a pod runs that only has its volume. */
export const SLEEPS = "setInterval(() => {}, 1000)";
export const KEEPER = "keeper";

interface Seen {
  readonly replicas: number | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A StatefulSet whose pod has a claim, by default `data`, and perhaps more. Where nothing runs its pods, this does. */
export class StatefulWorkload implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #image: string;
  readonly #claims: readonly [string, ...string[]];
  readonly #stop = new AbortController();
  #runs: Promise<void> = Promise.resolve();

  private constructor(stage: Stage, image: string, claims: readonly [string, ...string[]]) {
    this.#stage = stage;
    this.#image = image;
    this.#claims = claims;
  }

  static async start(
    stage: Stage,
    image: string,
    claim = "data",
    ...more: readonly string[]
  ): Promise<StatefulWorkload> {
    const workload = new StatefulWorkload(stage, image, [claim, ...more]);
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
    const [claim, ...more] = this.#claims;
    return podDraft(stage, { name: KEEPER, claim, more, image: this.#image, script: SLEEPS });
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
