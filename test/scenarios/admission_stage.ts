import type { AdmissionCase, Manifest } from "../../src/apis/kopiur/admission/testing/admission_case.ts";
import { KEPT_OF_CLAIM } from "../../src/core/volumes/kept_of_claim.ts";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { ApiError, isNotFound } from "../../src/kube/api_error.ts";
import { PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import {
  type Draft,
  type KubeObject,
  keyOf,
  type ObjectName,
  type Partially,
} from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import type { AdmissionWorld } from "./admission_world.ts";

/** What came of a case. */
export interface Played {
  readonly refused?: string;
  readonly warnings: readonly string[];
  readonly object?: KubeObject;
}

const PATIENCE = 60_000;

/** The objects of one case; all of them go with it. */
export class AdmissionStage implements AsyncDisposable {
  readonly #world: AdmissionWorld;
  readonly #made: { readonly kind: string; readonly name: ObjectName }[] = [];

  constructor(world: AdmissionWorld) {
    this.#world = world;
  }

  /** Resolves once the API server asks both webhooks. */
  static async untilAsked(world: AdmissionWorld): Promise<void> {
    world.author = "stranger";
    const namespace = world.named("tenant-a");
    const metadata = { namespace, name: "probe", labels: world.labels };
    await eventually("the webhooks are asked", async () => {
      const checked = await world.client
        .create(resourceOf("Backup"), { metadata, spec: {} } as unknown as Draft<KubeObject>, {
          dryRun: true,
        })
        .catch((error: unknown) => error);
      const source = { backupRef: { name: "first" } };
      const draft = { metadata, spec: { source } } as unknown as Draft<KubeObject>;
      const completed = await world.client.create(resourceOf("Restore"), draft, { dryRun: true });
      return checked instanceof ApiError && JSON.stringify(completed).includes('"onMissingSnapshot":"Fail"');
    });
  }

  /** Writes what a case gives, and then what it is about. */
  async play({
    given = [],
    object,
    author = "stranger",
    meanwhile = [],
    change,
  }: AdmissionCase): Promise<Played> {
    for (const manifest of given) await this.#arrange(manifest);
    if (change) await this.#arrange(object);
    for (const manifest of meanwhile) await this.#arrange(manifest);
    this.#world.author = author;
    const warnings: string[] = [];
    const onWarning = (text: string) => void warnings.push(text);
    try {
      const written = change
        ? await this.#patch(
            object,
            { spec: change.spec, metadata: { annotations: change.annotations } },
            { onWarning },
          )
        : await this.#create(object, { onWarning });
      return { warnings, object: written };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { warnings, refused: error.said };
    }
  }

  /** Deletes an object for good, also when its finalizer has nobody to remove it. */
  async remove(kind: string, name: ObjectName): Promise<void> {
    const { client } = this.#world;
    const resource = resourceOf(kind);
    if (!(await client.delete(resource, name))) return;
    const patch = { type: "merge", patch: { metadata: { finalizers: null } } } as const;
    await client.patch(resource, name, patch).catch(unlessGone);
    await eventually(`${kind} ${keyOf(name)} is gone`, async () => !(await this.present(kind, name)));
  }

  async present(kind: string, name: ObjectName): Promise<boolean> {
    const found = await this.#world.client.get(resourceOf(kind), name).catch(unlessGone);
    return found !== undefined || this.#cached(kind, name) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { kind, name } of this.#made.toReversed()) await this.remove(kind, name);
  }

  /** What a case begins with is there, with its status, and the webhooks know it. */
  async #arrange(manifest: Manifest): Promise<void> {
    this.#world.author = "reader";
    const { kind, spec, status } = manifest;
    const name = nameOf(manifest);
    const there = this.#made.some((one) => one.kind === kind && keyOf(one.name) === keyOf(name));
    let written = there ? await this.#patch(manifest, { spec }) : await this.#create(manifest);
    if (status) written = await this.#patch(manifest, { status }, { subresource: "status" });
    const least = Number(written.metadata.resourceVersion);
    await eventually(`${kind} ${keyOf(name)} is known`, async () => {
      // Controllers of the cluster may have written since.
      return Number(this.#cached(kind, name)?.metadata.resourceVersion ?? 0) >= least;
    });
  }

  async #create(
    manifest: Manifest,
    options: { onWarning?: (text: string) => void } = {},
  ): Promise<KubeObject> {
    const { kind, spec, labels, annotations } = manifest;
    const name = nameOf(manifest);
    const metadata = {
      ...name,
      labels: { ...labels, ...this.#world.labels },
      ...(annotations && { annotations }),
    };
    const draft = { metadata, spec } as unknown as Draft<KubeObject>;
    const written = await this.#world.client.create(resourceOf(kind), draft, options);
    this.#made.push({ kind, name });
    return written;
  }

  #patch(
    manifest: Manifest,
    patch: object,
    options: { onWarning?: (text: string) => void; subresource?: string } = {},
  ): Promise<KubeObject> {
    const merge = { type: "merge", patch: patch as Partially<KubeObject> } as const;
    return this.#world.client.patch(resourceOf(manifest.kind), nameOf(manifest), merge, options);
  }

  /** As the webhooks see it; undefined also for what they never look at. */
  #cached(kind: string, name: ObjectName): KubeObject | undefined {
    const isClaim = kind === "PersistentVolumeClaim";
    const resource = resourceOf(kind);
    return this.#world.informers
      .cache({ resource, ...(isClaim ? { keep: KEPT_OF_CLAIM } : {}) })
      .get(keyOf(name));
  }
}

function resourceOf(kind: string): Resource {
  if (kind === "PersistentVolumeClaim") return PersistentVolumeClaims;
  const known = KINDS.find(({ resource }) => resource.kind === kind);
  if (!known) throw new Error(`no kind ${kind}`);
  return known.resource;
}

function nameOf({ namespace, name }: Manifest): ObjectName & { readonly name: string } {
  return namespace === undefined ? { name } : { namespace, name };
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

async function eventually(what: string, look: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + PATIENCE;
  for (let wait = 5; !(await look()); wait = Math.min(wait * 2, 200)) {
    if (systemClock.monotonic() > end) throw new Error(`waited in vain: ${what}`);
    await sleep(systemClock, wait);
  }
}
