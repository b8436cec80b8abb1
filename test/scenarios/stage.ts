import type { FoundEntry, TreeEntry } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, type BackupSpec, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  type BackupConfigSpec,
  backupConfigResource,
} from "../../src/kinds/kopiur/generated/backup_config.ts";
import { type RepositorySpec, repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { type Restore, type RestoreSpec, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { isNotFound } from "../../src/kube/api_error.ts";
import { Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject, Partially } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import type { Keys } from "../../tools/images/test_engines.ts";
import type { ScenarioWorld } from "./world.ts";

/** Longest wait for anything, in milliseconds: far more than any needs. */
const PATIENCE = 600_000;
const SECRET = "repository";
const NEVER = "9999-12-31T00:00:00Z";

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** A namespace for one scenario, and the words to write it in. */
export class Stage implements AsyncDisposable {
  readonly namespace: string;
  readonly world: ScenarioWorld;
  readonly engine: EngineName;
  /** Of the repository. */
  readonly password = systemRandom.hex(16);
  /** Of the repository, on its volume. */
  folder = "";
  /** The repository is in S3, below the namespace's name. */
  inS3 = false;
  /** Of the movers' engines. */
  keys: Keys = "cheap";

  private constructor(world: ScenarioWorld, engine: EngineName, namespace: string) {
    this.world = world;
    this.engine = engine;
    this.namespace = namespace;
  }

  /** Movers may have privileges here: only root can bring back what others own. */
  static async enter(
    world: ScenarioWorld,
    engine: EngineName,
    name = `scenario-${systemRandom.hex(4)}`,
  ): Promise<Stage> {
    const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: "true" };
    await world.client.create(Namespaces, { metadata: { name, annotations } });
    return new Stage(world, engine, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.client.delete(Namespaces, { name: this.namespace });
  }

  /** A claim whose volume holds the tree. */
  async filledClaim(name: string, entries: readonly TreeEntry[]): Promise<void> {
    await this.claim(name);
    await this.world.put({ namespace: this.namespace, name }, entries);
  }

  describe(claim: string): Promise<readonly FoundEntry[]> {
    return this.world.describe({ namespace: this.namespace, name: claim });
  }

  async repositoryOnVolume(): Promise<string> {
    await this.claim("repository");
    return this.repositoryOnClaim();
  }

  /** On the claim of its name. */
  repositoryOnClaim(): Promise<string> {
    return this.repository({ filesystem: { pvc: { name: "repository" }, path: "/" } });
  }

  /** `endpoint`: default the server's own. */
  async repositoryInS3(endpoint = this.world.s3?.endpoint): Promise<string> {
    const { s3 } = this.world;
    if (!s3 || !endpoint) throw new Error("this world has no S3 server");
    const { bucket, accessKey, secretKey } = s3;
    this.inS3 = true;
    const backend = {
      s3: {
        bucket,
        prefix: `${this.namespace}/`,
        endpoint,
        region: "us-east-1",
        addressing: "Auto",
        auth: { secretRef: { name: SECRET } },
      },
    } as const;
    return this.repository(backend, { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey });
  }

  /** A recipe of a claim, of its name. */
  async recipe(
    claim: string,
    repository: string,
    more: Partially<Pick<BackupConfigSpec, "policy" | "mover" | "sources" | "retention">> = {},
  ): Promise<void> {
    await this.#create(backupConfigResource, claim, {
      repository: { name: repository },
      sources: [{ pvc: { name: claim }, sourcePathStrategy: "PVCName" }],
      copyMethod: "Direct",
      mover: { privilegedMode: true },
      ...more,
    });
  }

  async backup(name: string, config: string, spec: Partially<BackupSpec> = {}): Promise<Backup> {
    await this.beginBackup(name, config, spec);
    return this.until(backupResource, name, "Succeeded", ["Failed"]);
  }

  async beginBackup(name: string, config: string, spec: Partially<BackupSpec> = {}): Promise<void> {
    await this.#create(backupResource, name, { configRef: { name: config }, ...spec });
  }

  async restore(name: string, source: Partially<RestoreSpec["source"]>, claim: string): Promise<Restore> {
    await this.beginRestore(name, source, claim);
    return this.until(restoreResource, name, "Completed", ["Failed"]);
  }

  async failingRestore(
    name: string,
    source: Partially<RestoreSpec["source"]>,
    claim: string,
    policy: Partially<RestoreSpec["policy"]>,
  ): Promise<Restore> {
    await this.beginRestore(name, source, claim, policy);
    return this.until(restoreResource, name, "Failed", ["Completed"]);
  }

  /** Deletes an object, and waits until it is gone. */
  async remove(resource: Resource, name: string): Promise<void> {
    await this.world.client.delete(resource, { namespace: this.namespace, name });
    await this.gone(resource, name);
  }

  async gone(resource: Resource, name: string): Promise<void> {
    const { client } = this.world;
    const key = { namespace: this.namespace, name };
    await this.eventually(`${resource.kind} ${name} is gone`, async () => {
      const present = await client.get(resource, key).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return undefined;
      });
      return { done: present === undefined, value: present };
    });
  }

  /** The object, once it is in this phase. One of the others ends the wait. */
  async until<T extends Phased>(
    resource: Resource<T>,
    name: string,
    phase: string,
    others: readonly string[] = [],
  ): Promise<T> {
    return this.eventually(`${resource.kind} ${name} is ${phase}`, async () => {
      const value = await this.world.client.get(resource, { namespace: this.namespace, name });
      const now = value.status?.phase ?? "";
      if (others.includes(now))
        throw new Error(`${name} is ${now}: ${JSON.stringify(value.status, null, 2)}`);
      return { done: now === phase, value };
    });
  }

  async beginRestore(
    name: string,
    source: Partially<RestoreSpec["source"]>,
    claim: string,
    policy: Partially<RestoreSpec["policy"]> = {},
  ): Promise<void> {
    const { storageClassName } = this.world;
    await this.#create(restoreResource, name, {
      source,
      target: {
        pvc: {
          name: claim,
          capacity: "100Mi",
          accessModes: ["ReadWriteOnce"],
          ...(storageClassName ? { storageClassName } : {}),
        },
      },
      options: { ownership: "Exact" },
      mover: { privilegedMode: true },
      policy,
    });
  }

  async repository(
    backend: RepositorySpec["backend"],
    credentials: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    await this.beginRepository(backend, this.password, credentials);
    await this.untilReady();
    return "repository";
  }

  /** Waits for the repository. */
  async untilReady(): Promise<void> {
    await this.eventually("the repository is Ready", async () => {
      const key = { namespace: this.namespace, name: "repository" };
      const value = await this.world.client.get(repositoryResource, key);
      const { phase, conditions } = value.status ?? {};
      const reason = conditions?.find(({ type }) => type === "Ready")?.reason;
      // The operator may hear of it before it hears of its namespace, and of the consent there.
      if (phase === "Failed" && reason !== "PrivilegedMoverForbidden")
        throw new Error(`repository is Failed: ${JSON.stringify(value.status, null, 2)}`);
      return { done: phase === "Ready", value };
    });
  }

  async beginRepository(
    backend: RepositorySpec["backend"],
    password: string,
    credentials: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { client } = this.world;
    const metadata = { namespace: this.namespace, name: SECRET };
    await client.create(Secrets, {
      metadata,
      stringData: { KOPIA_PASSWORD: password, ...credentials },
    });
    const shipped = this.keys === "shipped" ? { kopiaImageOverride: await this.world.shippedMover() } : {};
    const spec = {
      ...shipped,
      engine: this.engine,
      backend,
      encryption: { passwordSecretRef: { name: SECRET } },
      create: { enabled: true },
      moverDefaults: { privilegedMode: true },
    };
    // Every deletion would wait for ten seconds, to see how many others come.
    await this.#create(repositoryResource, "repository", spec, { [ANNOTATIONS.acknowledgeDeletions]: NEVER });
  }

  async claim(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const { client, storageClassName } = this.world;
    await client.create(PersistentVolumeClaims, {
      metadata: { namespace: this.namespace, name, annotations },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "100Mi" } },
        ...(storageClassName ? { storageClassName } : {}),
      },
    });
  }

  /** The server fills in the defaults, so a spec need not be whole. */
  async #create<T extends KubeObject & { readonly spec: object }>(
    resource: Resource<T>,
    name: string,
    spec: Partially<T["spec"]>,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const draft = { metadata: { namespace: this.namespace, name, annotations }, spec };
    await this.world.client.create(resource, draft as unknown as Draft<T>);
  }

  /** `longest`: milliseconds between two looks. */
  async eventually<T>(
    what: string,
    look: () => Promise<{ readonly done: boolean; readonly value: T }>,
    longest = 250,
  ): Promise<T> {
    const end = systemClock.monotonic() + PATIENCE;
    for (let wait = 20; ; wait = Math.min(wait * 2, longest)) {
      const { done, value } = await look();
      if (done) return value;
      if (systemClock.monotonic() > end)
        throw new Error(`waited in vain: ${what}: ${JSON.stringify(value, null, 2)}`);
      await sleep(systemClock, wait);
    }
  }
}
