import { ANNOTATIONS as NATIVE } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type ClusterRepository,
  clusterRepositoryResource,
} from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { ANNOTATIONS, LABELS, STATE_ANNOTATIONS, TRUTH } from "../../src/kinds/plumber/words.ts";
import { ApiError, isAlreadyExists, isNotFound } from "../../src/kube/api_error.ts";
import { ConfigMaps, Events, Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** The one that the settings of the scenarios name. */
export const REPOSITORY = `plumber-${systemRandom.hex(4)}`;
const CREDENTIALS = "plumber-credentials";

type Texts = Readonly<Record<string, string>>;

/** How a PVC is asked for. */
export interface Asking {
  readonly dryRun?: boolean;
  /** Default: that of the world. */
  readonly storageClassName?: string;
}

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

  get namespace(): string {
    return this.#stage.namespace;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stage[Symbol.asyncDispose]();
  }

  /** The repository of the settings, in S3, for all namespaces with labels. `endpoint`: default the server's own. */
  async repository(endpoint?: string): Promise<AsyncDisposable> {
    const { client } = this.world;
    await this.credentials();
    await this.beginRepository(endpoint);
    return {
      [Symbol.asyncDispose]: async () =>
        void (await client.delete(clusterRepositoryResource, { name: REPOSITORY })),
    };
  }

  /** The same, without the Secret that it needs. */
  async beginRepository(endpoint?: string): Promise<void> {
    const { client, s3 } = this.world;
    if (!s3) throw new Error("this world has no S3 server");
    const secret = { namespace: this.namespace, name: CREDENTIALS };
    const place = { bucket: s3.bucket, prefix: `${this.namespace}/`, endpoint: endpoint ?? s3.endpoint };
    const spec = {
      engine: "kopia",
      backend: { s3: { ...place, region: "us-east-1", auth: { secretRef: secret } } },
      encryption: { passwordSecretRef: secret },
      create: { enabled: true },
      // All of them are small.
      concurrency: { maxRuns: 8 },
      allowedNamespaces: { selector: { matchLabels: { [LABELS.managedNamespace]: "true" } } },
    };
    const draft = { metadata: { name: REPOSITORY }, spec } as unknown as Draft<ClusterRepository>;
    await client.create(clusterRepositoryResource, draft);
  }

  /** The Secret that the repository waits for comes, and it is looked at again. */
  async beginWithCredentials(): Promise<void> {
    await this.credentials();
    const patch = { metadata: { annotations: { "example.org/again": "1" } } };
    await this.world.client.patch(clusterRepositoryResource, { name: REPOSITORY }, { type: "merge", patch });
  }

  private async credentials(): Promise<void> {
    const { client, s3 } = this.world;
    await client.create(Secrets, {
      metadata: { namespace: this.namespace, name: CREDENTIALS },
      stringData: {
        KOPIA_PASSWORD: this.#stage.password,
        AWS_ACCESS_KEY_ID: s3?.accessKey ?? "",
        AWS_SECRET_ACCESS_KEY: s3?.secretKey ?? "",
      },
    });
  }

  /** A PVC that asks for protection. */
  async claim(name: string, annotations: Texts = {}, asking: Asking = {}): Promise<void> {
    const labels = { [LABELS.enabled]: "true", [LABELS.manage]: "true", [LABELS.tier]: "hourly" };
    await this.#create(name, labels, { [ANNOTATIONS.uid]: "0", ...annotations }, asking);
  }

  unlabelled(name: string): Promise<void> {
    return this.#create(name, {}, {}, {});
  }

  /** A PVC is denied now, with this reason. */
  async denied(name: string, why: RegExp, annotations: Texts = {}): Promise<void> {
    const answer = await this.claim(name, annotations).catch((error: unknown) => error);
    if (!(answer instanceof ApiError) || !why.test(answer.message)) {
      throw new Error(`PVC ${name} was to be denied by ${why}: ${answer ?? "it was admitted"}`);
    }
  }

  /** Once the webhooks are there, and have read what they need: with the reason why a PVC is denied. */
  async deniedSoon(name: string, why: RegExp, annotations: Texts = {}): Promise<void> {
    await this.#stage.eventually(`PVC ${name} is denied`, async () => {
      const value = await this.claim(name, annotations, { dryRun: true }).catch((error: unknown) => error);
      return { done: value instanceof ApiError && why.test(value.message), value };
    });
  }

  /** Applies it as GitOps would: again and again, until the operator knows whether there is a backup. */
  async claimOnceKnown(name: string, annotations: Texts = {}, asking: Asking = {}): Promise<void> {
    await this.#stage.eventually(`PVC ${name} is admitted`, async () => {
      const value = await this.claim(name, annotations, asking).catch((error: unknown) => error);
      return { done: value === undefined, value };
    });
  }

  async until(claim: string, phase: string): Promise<void> {
    await this.#stage.until(PersistentVolumeClaims, claim, phase);
  }

  get(claim: string) {
    return this.world.client.get(PersistentVolumeClaims, { namespace: this.namespace, name: claim });
  }

  /** The object that a PVC gets its data from. */
  async source(claim: string): Promise<string | undefined> {
    return (await this.get(claim)).spec?.dataSourceRef?.name;
  }

  async stateOf(claim: string, state: string): Promise<void> {
    await this.#stage.eventually(`PVC ${claim} is ${state}`, async () => {
      const { metadata } = await this.get(claim);
      const value = metadata.annotations?.[STATE_ANNOTATIONS.sourceState];
      return { done: value === state, value };
    });
  }

  /** So many PVCs are in this state. */
  async allIn(state: string, count: number): Promise<void> {
    await this.#stage.eventually(`${count} PVCs are ${state}`, async () => {
      const { items } = await this.world.client.list(PersistentVolumeClaims, { namespace: this.namespace });
      const value = items.map(({ metadata }) => metadata.annotations?.[STATE_ANNOTATIONS.sourceState]);
      return { done: value.filter((one) => one === state).length === count, value };
    });
  }

  /** An Event of the PVC says so. */
  async told(claim: string, reason: string, text: RegExp = /./): Promise<void> {
    await this.#stage.eventually(`PVC ${claim} is told ${reason}`, async () => {
      const { items } = await this.world.client.list(Events, { namespace: this.namespace });
      const about = items.filter(({ involvedObject }) => involvedObject.name === claim);
      const value = about.map((event) => `${event.reason}: ${event.message}`);
      return {
        done: about.some((event) => event.reason === reason && text.test(event.message ?? "")),
        value,
      };
    });
  }

  async there(resource: Resource, name: string): Promise<void> {
    await this.#stage.eventually(`${resource.kind} ${name} is there`, async () => {
      const value = await this.#find(resource, name);
      return { done: value !== undefined, value };
    });
  }

  /** What there is of a kind, by name. */
  async names(resource: Resource): Promise<readonly string[]> {
    const { items } = await this.world.client.list(resource, { namespace: this.namespace });
    return items.map(({ metadata }) => metadata.name).toSorted();
  }

  /** Asks for a backup by the annotation, and waits until the operator knows of it. */
  async backUpNow(claim: string, trigger: string, identity = `${this.namespace}/${claim}`): Promise<void> {
    const { client } = this.world;
    const { namespace } = this;
    const patch = { metadata: { annotations: { [ANNOTATIONS.trigger]: trigger } } };
    await client.patch(PersistentVolumeClaims, { namespace, name: claim }, { type: "merge", patch });
    await this.#stage.eventually(`the backup of ${claim} is known`, async () => {
      const { items: backups } = await client.list(backupResource, { namespace });
      const failed = backups.find(({ status }) => status?.phase === "Failed");
      if (failed) throw new Error(JSON.stringify(failed, null, 2));
      const { items } = await client.list(ConfigMaps, {
        namespace: this.world.home,
        labelSelector: TRUTH.label,
      });
      const value = items.map(({ data }) => data);
      return { done: value.some((data) => data?.entries?.includes(`${identity} `)), value };
    });
  }

  lose(claim: string): Promise<void> {
    return this.#stage.remove(PersistentVolumeClaims, claim);
  }

  /** Nothing can delete the object for good meanwhile. */
  async held(resource: Resource, name: string, work: () => Promise<void>): Promise<void> {
    const { client } = this.world;
    const key = { namespace: this.namespace, name };
    const holding = async (finalizers: readonly string[]) => {
      const { metadata } = await client.get(resource, key);
      const others = (metadata.finalizers ?? []).filter((one) => one !== HOLD);
      const patch = { metadata: { finalizers: [...others, ...finalizers] } };
      await client.patch(resource, key, { type: "merge", patch });
    };
    await holding([HOLD]);
    await client.delete(resource, key);
    await work();
    await holding([]);
    await this.#stage.gone(resource, name);
  }

  async #find(resource: Resource, name: string): Promise<KubeObject | undefined> {
    return this.world.client
      .get(resource, { namespace: this.namespace, name })
      .catch((error: unknown): undefined => {
        if (!isNotFound(error)) throw error;
      });
  }

  async #create(name: string, labels: Texts, annotations: Texts, asking: Asking): Promise<void> {
    const { client } = this.world;
    const { dryRun = false, storageClassName = this.world.storageClassName } = asking;
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

const HOLD = "example.org/hold";
