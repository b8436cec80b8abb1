import { ANNOTATIONS as NATIVE } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { ANNOTATIONS, LABELS, STATE_ANNOTATIONS, TRUTH } from "../../src/kinds/plumber/words.ts";
import { ApiError, isAlreadyExists } from "../../src/kube/api_error.ts";
import { ConfigMaps, Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { Draft } from "../../src/kube/object.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The one that the settings of the scenarios name. */
export const REPOSITORY = `plumber-${systemRandom.hex(4)}`;
const CREDENTIALS = "plumber-credentials";

type Texts = Readonly<Record<string, string>>;

/** A namespace whose PVCs are protected by their labels, and the words to write about them in. */
export class PlumberStage implements AsyncDisposable {
  readonly world: ScenarioWorld;
  readonly #stage: Stage;

  private constructor(stage: Stage) {
    this.world = stage.world;
    this.#stage = stage;
  }

  /** The operator's own namespace is there, as in an install. */
  static async prepare({ client, home: name }: ScenarioWorld): Promise<void> {
    await client.create(Namespaces, { metadata: { name } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  static async enter(world: ScenarioWorld): Promise<PlumberStage> {
    const stage = await Stage.enter(world, "kopia");
    const labels = { [LABELS.managedNamespace]: "true" };
    const annotations = { [NATIVE.allowPrivilegedMovers]: "true" };
    const patch = { metadata: { labels, annotations } };
    await world.client.patch(Namespaces, { name: stage.namespace }, { type: "merge", patch });
    return new PlumberStage(stage);
  }

  /** Once the webhooks are there, and have read what they need: with the reason why a PVC is denied. */
  async denied(name: string, why: RegExp): Promise<void> {
    await this.#stage.eventually(`PVC ${name} is denied`, async () => {
      const value = await this.claim(name, {}, true).catch((error: unknown) => error);
      return { done: value instanceof ApiError && why.test(value.message), value };
    });
  }

  get namespace(): string {
    return this.#stage.namespace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stage[Symbol.asyncDispose]();
  }

  /** The repository of the settings, in S3, for all namespaces. */
  async repository(): Promise<AsyncDisposable> {
    const { client, s3 } = this.world;
    if (!s3) throw new Error("this world has no S3 server");
    const { bucket, endpoint, accessKey, secretKey } = s3;
    const secret = { namespace: this.namespace, name: CREDENTIALS };
    await client.create(Secrets, {
      metadata: secret,
      stringData: {
        KOPIA_PASSWORD: this.#stage.password,
        AWS_ACCESS_KEY_ID: accessKey,
        AWS_SECRET_ACCESS_KEY: secretKey,
      },
    });
    const spec = {
      engine: "kopia",
      backend: {
        s3: { bucket, prefix: `${REPOSITORY}/`, endpoint, region: "us-east-1", auth: { secretRef: secret } },
      },
      encryption: { passwordSecretRef: secret },
      create: { enabled: true },
      allowedNamespaces: { list: [this.namespace] },
    };
    const draft = { metadata: { name: REPOSITORY }, spec } as unknown as Draft<ClusterRepository>;
    await client.create(clusterRepositoryResource, draft);
    return {
      [Symbol.asyncDispose]: async () =>
        void (await client.delete(clusterRepositoryResource, { name: REPOSITORY })),
    };
  }

  /** A PVC that asks for protection. */
  async claim(name: string, annotations: Texts = {}, dryRun = false): Promise<void> {
    const labels = { [LABELS.enabled]: "true", [LABELS.manage]: "true", [LABELS.tier]: "hourly" };
    await this.#create(name, labels, { [ANNOTATIONS.uid]: "0", ...annotations }, dryRun);
  }

  unlabelled(name: string): Promise<void> {
    return this.#create(name, {}, {}, false);
  }

  /** Applies it as GitOps would: again and again, until the operator knows whether there is a backup. */
  async claimOnceKnown(name: string): Promise<void> {
    await this.#stage.eventually(`PVC ${name} is admitted`, async () => {
      const value = await this.claim(name).catch((error: unknown) => error);
      return { done: value === undefined, value };
    });
  }

  async skipping(name: string, reason: string): Promise<void> {
    await this.#stage.eventually(`PVC ${name} is admitted`, async () => {
      const annotations = { [ANNOTATIONS.skipRestore]: "true", [ANNOTATIONS.skipRestoreReason]: reason };
      const value = await this.claim(name, annotations).catch((error: unknown) => error);
      return { done: value === undefined, value };
    });
  }

  async until(claim: string, phase: string): Promise<void> {
    await this.#stage.until(PersistentVolumeClaims, claim, phase);
  }

  async stateOf(claim: string, state: string): Promise<void> {
    await this.#stage.eventually(`PVC ${claim} is ${state}`, async () => {
      const { metadata } = await this.world.client.get(PersistentVolumeClaims, {
        namespace: this.namespace,
        name: claim,
      });
      const value = metadata.annotations?.[STATE_ANNOTATIONS.sourceState];
      return { done: value === state, value };
    });
  }

  /** Asks for a backup by the annotation, and waits until the operator knows of it. */
  async backUpNow(claim: string, trigger: string): Promise<void> {
    const { client } = this.world;
    const { namespace } = this;
    const patch = { metadata: { annotations: { [ANNOTATIONS.trigger]: trigger } } };
    await client.patch(PersistentVolumeClaims, { namespace, name: claim }, { type: "merge", patch });
    await this.#stage.eventually(`a backup of ${claim} is there`, async () => {
      const { items } = await client.list(backupResource, { namespace });
      const value = items.map(({ metadata, status }) => ({ name: metadata.name, status }));
      if (items.some(({ status }) => status?.phase === "Failed"))
        throw new Error(JSON.stringify(value, null, 2));
      return { done: items.some(({ status }) => status?.phase === "Succeeded"), value };
    });
    await this.#stage.eventually(`the backup of ${claim} is known`, async () => {
      const { items } = await client.list(ConfigMaps, {
        namespace: this.world.home,
        labelSelector: TRUTH.label,
      });
      const value = items.map(({ data }) => data);
      return { done: value.some((data) => data?.entries?.includes(`${namespace}/${claim} `)), value };
    });
  }

  lose(claim: string): Promise<void> {
    return this.#stage.remove(PersistentVolumeClaims, claim);
  }

  async #create(name: string, labels: Texts, annotations: Texts, dryRun: boolean): Promise<void> {
    const { client, storageClassName } = this.world;
    const draft = {
      metadata: { namespace: this.namespace, name, labels, annotations },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "100Mi" } },
        ...(storageClassName ? { storageClassName } : {}),
      },
    };
    await client.create(PersistentVolumeClaims, draft, { dryRun });
  }
}
