import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { FoundEntry, TreeEntry } from "../../src/engines/testing/tree.ts";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { Namespaces, PersistentVolumeClaims, Secrets } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject, ObjectName } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import type { InstalledWorld } from "./world.ts";

const FOLDER = join(import.meta.dirname, "../../examples/kopiur");
const PATIENCE = 240_000;

/** What the examples call by a name that only one cluster can have. */
const NAMES = ["backups", "billing", "holdfast-system", "shared-primary"] as const;
type Name = (typeof NAMES)[number];

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/**
 * Applies the examples as a person would who has put in the names of this cluster, its storage class, its S3 server
 * and his own keys. Everything else is as it is written.
 */
export class ExampleStage implements AsyncDisposable {
  readonly world: InstalledWorld;
  readonly engine: EngineName;
  readonly password = systemRandom.hex(16);
  /** Below which everything of this stage is in the bucket. */
  readonly prefix = `examples-${systemRandom.hex(4)}/`;
  readonly #suffix = systemRandom.hex(4);
  /** What does not go with a namespace of this stage. */
  readonly #applied: { readonly resource: Resource; readonly name: ObjectName }[] = [];

  private constructor(world: InstalledWorld, engine: EngineName) {
    this.world = world;
    this.engine = engine;
  }

  static async enter(world: InstalledWorld, engine: EngineName): Promise<ExampleStage> {
    const stage = new ExampleStage(world, engine);
    for (const name of ["backups", "billing"] as const)
      await world.client.create(Namespaces, { metadata: { name: stage.named(name) } });
    const home = { metadata: { name: world.home } };
    await world.client.apply(Namespaces, home, { fieldManager: "examples" });
    return stage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { client } = this.world;
    for (const name of ["billing", "backups"] as const)
      await client.delete(Namespaces, { name: this.named(name) });
    for (const { resource, name } of this.#applied) await client.delete(resource, name);
  }

  /** What something of the examples is called here. */
  named(name: Name): string {
    return name === "holdfast-system" ? this.world.home : `${name}-${this.#suffix}`;
  }

  /** Applies a file of the examples. `edit` is what a person changes in each object besides. */
  async apply(file: string, edit: (text: string) => string = (text) => text): Promise<void> {
    const text = edit(readFileSync(join(FOLDER, file), "utf8"));
    for (const document of parseAllDocuments(text)) {
      const object = this.#here(document.toJS()) as KubeObject & { readonly kind: string };
      const resource = resourceOf(object.kind);
      await this.world.client.create(resource, object as Draft<KubeObject>);
      const { namespace, name } = object.metadata;
      if (namespace === undefined || namespace === this.world.home)
        this.#applied.push({ resource, name: { namespace, name } });
    }
  }

  /** A claim in `billing`, with labels as wanted, whose volume holds the tree. */
  async filledClaim(
    name: string,
    entries: readonly TreeEntry[],
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { client, storageClassName } = this.world;
    const namespace = this.named("billing");
    await client.create(PersistentVolumeClaims, {
      metadata: { namespace, name, labels },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "100Mi" } },
        ...(storageClassName ? { storageClassName } : {}),
      },
    });
    await this.world.put({ namespace, name }, entries);
  }

  describe(claim: string): Promise<readonly FoundEntry[]> {
    return this.world.describe({ namespace: this.named("billing"), name: claim });
  }

  /** The object, once it is in this phase. One of the others ends the wait. */
  async until<T extends Phased>(
    resource: Resource<T>,
    at: Name,
    name: string,
    phase: string,
    others: readonly string[] = ["Failed"],
  ): Promise<T> {
    const key = { ...(resource.namespaced ? { namespace: this.named(at) } : {}), name };
    const end = systemClock.monotonic() + PATIENCE;
    for (;;) {
      const found = await this.world.client.get(resource, key);
      const now = found.status?.phase ?? "";
      if (now === phase) return found;
      if (others.includes(now) || systemClock.monotonic() > end)
        throw new Error(`${resource.kind} ${name} is not ${phase}: ${JSON.stringify(found.status, null, 2)}`);
      await sleep(systemClock, 200);
    }
  }

  /** A value of an example, in the words of this cluster. */
  #here(value: unknown, field = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#here(item, field));
    if (typeof value === "string") return this.#word(value, field);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(
      ([name]) => name !== "storageClassName" || this.world.storageClassName,
    );
    const here = Object.fromEntries(entries.map(([name, item]) => [name, this.#here(item, name)]));
    return "backend" in here ? { engine: this.engine, ...here } : here;
  }

  #word(value: string, field: string): string {
    const { s3, storageClassName = "" } = this.world;
    const mine: Readonly<Record<string, string | undefined>> = {
      AWS_ACCESS_KEY_ID: s3?.accessKey,
      AWS_SECRET_ACCESS_KEY: s3?.secretKey,
      KOPIA_PASSWORD: this.password,
      endpoint: s3?.endpoint,
      bucket: s3?.bucket,
      prefix: this.prefix,
      capacity: "100Mi",
      storage: "100Mi",
      storageClassName,
    };
    const own = mine[field];
    if (own !== undefined) return own;
    const known = NAMES.find((name) => name === value);
    return known ? this.named(known) : value;
  }
}

function resourceOf(kind: string): Resource {
  const found = [Secrets, PersistentVolumeClaims, ...KINDS.map(({ resource }) => resource)].find(
    (resource) => resource.kind === kind,
  );
  if (!found) throw new Error(`an example has a ${kind}, which nobody knows`);
  return found as Resource;
}
