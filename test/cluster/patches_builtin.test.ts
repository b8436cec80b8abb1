import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtinKinds } from "../../src/embedded/kinds/builtin_kinds.ts";
import { serverSideApply } from "../../src/embedded/patch/apply.ts";
import { applyJsonPatch } from "../../src/embedded/patch/json_patch.ts";
import type { TrackedKind } from "../../src/embedded/patch/managed_fields.ts";
import { PatchRefused } from "../../src/embedded/patch/patch_refused.ts";
import { applyStrategicPatch } from "../../src/embedded/patch/strategic_patch.ts";
import { trackUpdate } from "../../src/embedded/patch/track_update.ts";
import type { Stored } from "../../src/embedded/store/store.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { ManagedFields } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { timestamp } from "../../src/kube/write/timestamp.ts";
import { seededRandom, systemRandom } from "../../src/lib/random.ts";
import type { Fields } from "./chances.ts";
import { PodParts } from "./pod_parts.ts";
import { enterWorld, type World } from "./world.ts";

const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 28));
const SEQUENCES = 8;
const STEPS = 25;

/** A pod's template on its own: nothing but these tests writes to it. */
const templates: Resource<Stored> = {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  namespaced: true,
};

const deployment = kindNamed("Deployment");
const template = deployment.schema.properties?.spec?.properties?.template ?? {};
const metadata = deployment.schema.properties?.metadata ?? {};
const templateKind: TrackedKind = {
  schema: { type: "object", properties: { metadata, template } },
  custom: false,
  status: false,
};

function kindNamed(name: string) {
  const found = builtinKinds.find(({ resource }) => resource.kind === name);
  if (!found) throw new Error(`no built-in kind ${name}`);
  return found;
}

let world: World;
beforeAll(async () => {
  world = await enterWorld("patches");
});
afterAll(() => world[Symbol.asyncDispose]());

describe(`built-in kinds are patched as by the API server (seed ${SEED})`, () => {
  test.each(Array.from({ length: SEQUENCES }, (_, i) => i))("pod templates, sequence %i", async (round) => {
    const parts = new PodParts(seededRandom(SEED * SEQUENCES + round));
    const name = `template-${round}`;
    const identity = {
      apiVersion: "v1",
      kind: "PodTemplate",
      metadata: { name, namespace: world.namespace },
    };
    const draft = { ...identity, template: parts.template() } as unknown as Stored;
    let live = await world.client.create(templates, draft, { fieldManager: "anna" });
    expect(owners(tracked(undefined, live, "anna"))).toEqual(owners(live));
    for (let step = 0; step < STEPS; step++) {
      const manager = parts.oneOf("anna", "bert");
      const apply = parts.chance(0.4);
      live = apply
        ? await applied(live, { ...identity, template: parts.template() }, manager)
        : await patched(live, { template: parts.patch() }, manager);
    }
  });

  test.each([
    ["Deployment", []],
    ["StatefulSet", []],
    ["Job", ["spec.selector", "spec.template.metadata.labels"]],
    ["Pod", ["spec.preemptionPolicy", "spec.priority", "spec.tolerations"]],
    ["PersistentVolumeClaim", ["metadata.finalizers"]],
    ["Secret", []],
    ["ConfigMap", []],
  ] as const)("the creator of a %s owns the same fields", async (kind, addedLater) => {
    const { resource, ...info } = kindNamed(kind);
    const options = { fieldManager: "anna", dryRun: true } as const;
    const created = (await world.client.create(resource, sampleOf(kind) as never, options)) as Stored;
    const sent = addedLater.reduce(without, bare(created));
    const ours = trackUpdate({
      ...stamp("anna", created.apiVersion),
      kind: info,
      before: undefined,
      after: sent,
    });
    expect(owners(ours)).toEqual(owners(created));
  });
});

test("whoever scales owns the replicas, unless they are none", async () => {
  const { resource, ...info } = kindNamed("StatefulSet");
  const metadata = { name: "scaled", namespace: world.namespace };
  const sample = sampleOf("StatefulSet");
  const spec = { ...(sample.spec as Fields), replicas: 0 };
  const options = { fieldManager: "anna" };
  let live = (await world.client.create(resource, { ...sample, metadata, spec } as never, options)) as Stored;
  for (const replicas of [1, 2, 0]) {
    await world.client.setScale(resource, metadata, replicas, { fieldManager: "bert" });
    const next = (await world.client.get(resource, metadata)) as Stored;
    const before = {
      ...bare(next),
      metadata: { ...next.metadata, managedFields: live.metadata.managedFields ?? [] },
    };
    const was = (live.spec as Fields).replicas;
    const ours = trackUpdate({
      ...stamp("bert", "apps/v1"),
      kind: info,
      before: { ...before, spec: { ...(next.spec as Fields), replicas: was } },
      after: before,
      subresource: "scale",
    });
    const scaled = ({ manager }: ManagedFields) => manager === "anna" || manager === "bert";
    expect(ours.metadata.managedFields?.filter(scaled)).toEqual(next.metadata.managedFields?.filter(scaled));
    live = next;
  }
});

function without(object: Stored, path: string): Stored {
  return applyJsonPatch(object, [{ op: "remove", path: `/${path.replaceAll(".", "/")}` }]) as Stored;
}

function sampleOf(kind: string): Fields {
  const labels = { app: "sample" };
  const pod = { containers: [{ name: "x", image: "x" }], restartPolicy: kind === "Job" ? "Never" : "Always" };
  const template = { metadata: { labels }, spec: pod };
  const claim = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "none",
    resources: { requests: { storage: "1Gi" } },
  };
  const contents: Record<string, Fields> = {
    Deployment: { spec: { selector: { matchLabels: labels }, template } },
    StatefulSet: {
      spec: {
        serviceName: "none",
        selector: { matchLabels: labels },
        template,
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
      },
    },
    Job: { spec: { template: { spec: pod } } },
    Pod: { spec: { ...pod, serviceAccountName: "default", automountServiceAccountToken: false } },
    PersistentVolumeClaim: { spec: claim },
    Secret: { stringData: { a: "b" } },
    ConfigMap: { data: { a: "b" }, binaryData: { c: "ZA==" } },
  };
  return { metadata: { name: "sample", namespace: world.namespace, labels }, ...contents[kind] };
}

/** The object after a strategic patch that was compared with ours. */
async function patched(live: Stored, patch: Fields, manager: string): Promise<Stored> {
  const options = { fieldManager: manager, fieldValidation: "Ignore" } as const;
  const context = JSON.stringify({ patch, live: live.template });
  const ours = await answer(async () => {
    const next = applyStrategicPatch(live, patch, templateKind.schema) as Stored;
    return world.client.update(templates, next, { ...options, dryRun: true });
  });
  const theirs = await answer(() =>
    world.client.patch(templates, live.metadata, { type: "strategic", patch: patch as never }, options),
  );
  expect(shown(ours), context).toEqual(shown(theirs));
  if (!("metadata" in theirs)) return live;
  expect(owners(tracked(live, theirs, manager)), context).toEqual(owners(theirs));
  return theirs;
}

/** The object after an apply that was compared with ours. */
async function applied(live: Stored, object: Fields, manager: string): Promise<Stored> {
  const request = { kind: templateKind, live, applied: object, force: true, ...stamp(manager, "v1") };
  const context = JSON.stringify({ object, live });
  const outcome = serverSideApply(request);
  const ours = outcome.object;
  if (!ours) throw new Error("a forced apply has no conflicts");
  const dryRun = await answer(() =>
    world.client.update(templates, bare(ours), { fieldManager: manager, dryRun: true }),
  );
  const theirs = await answer(() =>
    world.client.apply(templates, object as never, { fieldManager: manager, force: true }),
  );
  expect(content(dryRun), context).toEqual(content(theirs));
  if (!("metadata" in theirs)) return live;
  expect(owners(ours), context).toEqual(owners(theirs));
  return theirs;
}

function tracked(before: Stored | undefined, after: Stored, manager: string): Stored {
  const { managedFields: _, ...rest } = after.metadata;
  return trackUpdate({
    ...stamp(manager, "v1"),
    kind: templateKind,
    before,
    after: { ...after, metadata: rest },
  });
}

function stamp(manager: string, apiVersion: string) {
  return { manager, apiVersion, time: timestamp(Date.now()) };
}

interface Refused {
  readonly code: number;
}

async function answer(write: () => Promise<Stored>): Promise<Stored | Refused> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ApiError || error instanceof PatchRefused) return { code: error.code };
    throw error;
  }
}

function bare(object: Stored): Stored {
  const { managedFields: _, ...rest } = object.metadata;
  return { ...object, metadata: rest };
}

function content(object: Stored | Refused): unknown {
  return "metadata" in object ? object.template : object;
}

function shown(object: Stored | Refused): unknown {
  return "metadata" in object ? { template: object.template, owners: owners(object) } : object;
}

function owners({ metadata }: Stored): unknown {
  const entries = (metadata.managedFields ?? []).map(({ time: _, ...entry }: ManagedFields) => entry);
  return entries.sort((a, b) => (`${a.manager} ${a.operation}` < `${b.manager} ${b.operation}` ? -1 : 1));
}
