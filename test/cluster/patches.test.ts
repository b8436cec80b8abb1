import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sameButTimes } from "../../src/embedded/api/object_changes.ts";
import { serverSideApply } from "../../src/embedded/patch/apply.ts";
import { conflictStatus } from "../../src/embedded/patch/conflict.ts";
import { applyJsonPatch } from "../../src/embedded/patch/json_patch.ts";
import { decodeOwners, type TrackedKind, withOwners } from "../../src/embedded/patch/managed_fields.ts";
import { applyMergePatch } from "../../src/embedded/patch/merge_patch.ts";
import { PatchRefused } from "../../src/embedded/patch/patch_refused.ts";
import { trackUpdate } from "../../src/embedded/patch/track_update.ts";
import type { Stored } from "../../src/embedded/store/store.ts";
import { jsonPatch } from "../../src/kube/admission/json_patch.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { Client, JsonPatch } from "../../src/kube/client.ts";
import type { ManagedFields } from "../../src/kube/object.ts";
import { apiVersionOf, type Resource } from "../../src/kube/resource.ts";
import { admit } from "../../src/kube/schema/admit.ts";
import { validate } from "../../src/kube/schema/validate.ts";
import { timestamp } from "../../src/kube/write/timestamp.ts";
import { isRecord } from "../../src/lib/json.ts";
import { seededRandom, systemRandom } from "../../src/lib/random.ts";
import { SampleParts, sampleSchema } from "./sample_parts.ts";
import { install, plainCrd, uninstall } from "./schema_cluster.ts";
import { enterWorld, type World } from "./world.ts";

const GROUP = `patches-${systemRandom.hex(4)}.test.holdfast.dev`;
const SEED = Number(process.env.HOLDFAST_SEED ?? Math.floor(systemRandom.next() * 2 ** 28));
const SEQUENCES = 12;
const STEPS = 25;
const MANAGERS = ["anna", "bert", "kubectl"] as const;

let world: World;
let resource: Resource<Stored>;
const kind: TrackedKind = { schema: sampleSchema, custom: true, status: true };

beforeAll(async () => {
  world = await enterWorld("patches");
  const crd = plainCrd(GROUP, "Sample", sampleSchema);
  const versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
  resource = (await install(world.client, { ...crd, spec: { ...crd.spec, versions } })) as Resource<Stored>;
});
afterAll(async () => {
  const { items } = await world.client.list(resource, { namespace: world.namespace });
  for (const item of items) await release(item);
  await uninstall(world.client, GROUP);
  await world[Symbol.asyncDispose]();
});

describe(`applies, updates and patches end as on the API server (seed ${SEED})`, () => {
  test.each(Array.from({ length: SEQUENCES }, (_, i) => i))(
    "on custom resources, sequence %i",
    async (round) => {
      const samples = new SampleParts(seededRandom(SEED * SEQUENCES + round));
      const name = `sample-${round}`;
      let live: Stored | undefined;
      for (let step = 0; step < STEPS; step++) {
        const write = randomWrite(samples, name, live);
        const theirs = await outcome(() => write.send(world.client));
        const ours = await outcome(async () => write.compute());
        expect(
          shown(ours),
          `step ${step}: ${JSON.stringify({ refusal: theirs.refusal, write: write.what, live })}`,
        ).toEqual(shown(theirs));
        if (theirs.object) {
          live = theirs.object;
          expect(reencoded(live)).toEqual(live);
        }
      }
    },
  );
});

test.each([
  ["an unknown field", { spec: { absent: 1 } }],
  [
    "two unknown fields",
    {
      spec: {
        ports: [
          { port: 80, absent: 1 },
          { port: 443, absent: 2 },
        ],
      },
    },
  ],
  ["a repeated item", { spec: { tags: ["a", "a"] } }],
  ["a repeated key", { spec: { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] } }],
  ["an item without a key", { status: { conditions: [{ status: "True" }] } }],
  ["an item that is no object", { spec: { ports: ["80"] } }],
  ["null as an item", { spec: { tags: [null] } }],
  ["a text for a number", { spec: { count: "1" } }],
  ["a list for an object", { spec: { labels: ["a"] } }],
  ["an object for a list", { spec: { tags: { a: 1 } } }],
  ["a text for an object", { spec: { nested: "a" } }],
  ["a number for a switch", { spec: { ports: [{ port: 80, options: { quick: 1 } }] } }],
  [
    "an object for a switch",
    { spec: { ports: [{ port: 80, options: { quick: { b: [1, true], a: "x" } } }] } },
  ],
  ["a number for a text", { spec: { title: 1 } }],
  ["managed fields", { metadata: { managedFields: [{ manager: "x" }] } }],
])("an apply with %s is refused in the same words", async (_, content) => {
  const metadata = {
    name: "refused",
    namespace: world.namespace,
    ...("metadata" in content ? content.metadata : {}),
  };
  const applied = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...content, metadata };
  const options = { fieldManager: "anna", force: true };
  const theirs = await outcome(() => world.client.apply(resource, applied as never, options));
  const request = {
    kind,
    live: undefined,
    applied,
    force: true,
    manager: "anna",
    ...stamp({ fieldManager: "anna" }),
  };
  const ours = await outcome(async () => serverSideApply(request).object as Stored);
  expect(ours.refusal).toBeDefined();
  expect(ours).toEqual(theirs);
});

interface Write {
  readonly what: unknown;
  readonly send: (client: Client) => Promise<Stored>;
  readonly compute: () => Stored;
}

interface Outcome {
  readonly object?: Stored;
  readonly refusal?: { readonly code: number; readonly message: string };
}

function randomWrite(samples: SampleParts, name: string, live: Stored | undefined): Write {
  const options = {
    fieldManager: samples.oneOf(...MANAGERS),
    ...(live && samples.chance(0.25) ? { subresource: "status" } : {}),
  };
  if (!live)
    return samples.chance(0.5) ? create(samples, name, options) : apply(samples, name, live, options);
  const make = samples.oneOf(apply, apply, apply, update, mergeWrite, jsonWrite);
  return make(samples, name, live, options);
}

interface Options {
  readonly fieldManager: string;
  readonly subresource?: string;
}

function draft(samples: SampleParts, name: string) {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name, namespace: world.namespace, ...samples.metadata() },
    ...(samples.chance(0.9) ? { spec: samples.spec() } : {}),
    ...(samples.chance(0.3) ? { status: samples.status() } : {}),
  };
}

function create(samples: SampleParts, name: string, options: Options): Write {
  const object = draft(samples, name) as unknown as Stored;
  return {
    what: { create: object, options },
    send: (client) => client.create(resource, object, options),
    compute: () => tracked(undefined, object, options),
  };
}

function apply(samples: SampleParts, name: string, live: Stored | undefined, options: Options): Write {
  const force = samples.chance(0.4);
  const applied = draft(samples, name);
  return {
    what: { apply: applied, force, options },
    send: (client) => client.apply(resource, applied as never, { ...options, force }),
    compute() {
      const request = { kind, live, applied, force, manager: options.fieldManager, ...stamp(options) };
      const { object, conflicts } = serverSideApply(request);
      if (!object) throw new PatchRefused(409 as never, conflictStatus(conflicts).message ?? "");
      // Unlike an update, an apply is refused when it leaves a null where none may be.
      if (validate(sampleSchema, object).length > 0) throw new PatchRefused(422, "invalid");
      return stored(live, object, options);
    },
  };
}

function update(samples: SampleParts, name: string, live: Stored, options: Options): Write {
  const next = mutated(samples, name, live);
  return {
    what: { update: next, options },
    send: (client) => client.update(resource, next, options),
    compute: () => tracked(live, next, options),
  };
}

function mergeWrite(samples: SampleParts, name: string, live: Stored, options: Options): Write {
  const { metadata, spec, status } = mutated(samples, name, live);
  const { labels = null, annotations = null } = metadata;
  const patch = { metadata: { labels, annotations }, spec: spec ?? null, status: status ?? null };
  return {
    what: { patch, options },
    send: (client) =>
      client.patch(resource, live.metadata, { type: "merge", patch: patch as never }, options),
    compute: () => tracked(live, applyMergePatch(live, patch) as Stored, options),
  };
}

function jsonWrite(samples: SampleParts, name: string, live: Stored, options: Options): Write {
  const next = mutated(samples, name, live);
  const broken: JsonPatch = samples.chance(0.2) ? [{ op: "remove", path: "/spec/absent" }] : [];
  const patch: JsonPatch = [...jsonPatch(live, next), ...broken];
  return {
    what: { patch, options },
    send: (client) => client.patch(resource, live.metadata, { type: "json", patch }, options),
    compute: () => tracked(live, applyJsonPatch(live, patch) as Stored, options),
  };
}

/** The object with some of its parts exchanged, or its managers forgotten. */
function mutated(samples: SampleParts, name: string, live: Stored): Stored {
  const other = draft(samples, name);
  const { managedFields, ...metadata } = live.metadata;
  const spec = isRecord(live.spec) ? live.spec : {};
  const owners = samples.oneOf(undefined, undefined, [], [{}], ...Array(16).fill(managedFields));
  const next = {
    ...live,
    metadata: { ...metadata, ...samples.metadata(), ...(owners ? { managedFields: owners } : {}) },
    spec: samples.chance(0.2) ? other.spec : { ...spec, ...samples.spec(0.2) },
    ...(samples.chance(0.3) ? { status: samples.status() } : {}),
  };
  return JSON.parse(JSON.stringify(next)) as Stored;
}

function stamp({ subresource }: Options) {
  return { apiVersion: apiVersionOf(resource), time: timestamp(Date.now()), subresource };
}

function tracked(live: Stored | undefined, object: Stored, options: Options): Stored {
  const after = tidy(admit(sampleSchema, object).object as Stored);
  const request = { kind, before: live, after, manager: options.fieldManager, ...stamp(options) };
  return stored(live, trackUpdate(request), options);
}

/** Metadata holds nothing that is empty. */
function tidy(object: Stored): Stored {
  const empty = (value: unknown) => typeof value === "object" && Object.keys(value ?? {}).length === 0;
  const fields = Object.entries(object.metadata).filter(([, value]) => !empty(value));
  return { ...object, metadata: Object.fromEntries(fields) } as unknown as Stored;
}

/** What the API server does to the object between the patch and its store. */
function stored(live: Stored | undefined, next: Stored, { subresource }: Options): Stored {
  const { object, problems } = admit(sampleSchema, next);
  if (problems.length > 0) throw new PatchRefused(422, "invalid");
  const { spec, status, ...rest } = tidy(object as Stored);
  if (subresource !== "status") {
    const kept = {
      ...rest,
      ...(spec === undefined ? {} : { spec }),
      ...(live?.status ? { status: live.status } : {}),
    };
    return live && sameButTimes(live, kept) ? live : kept;
  }
  const { managedFields } = rest.metadata;
  const { status: _, ...before } = live as Stored;
  const kept = {
    ...before,
    metadata: { ...before.metadata, managedFields },
    ...(status === undefined ? {} : { status }),
  } as Stored;
  return sameButTimes(live as Stored, kept) ? (live as Stored) : kept;
}

async function outcome(write: () => Promise<Stored>): Promise<Outcome> {
  try {
    return { object: await write() };
  } catch (error) {
    if (error instanceof ApiError || error instanceof PatchRefused) {
      return {
        refusal: {
          code: error.code,
          message: error.message.replace(/^.*?: (?=Apply|the server|failed|metadata)/s, ""),
        },
      };
    }
    throw error;
  }
}

/** An outcome without what only the server knows; of times, whether there is one. */
function shown({ object, refusal }: Outcome): unknown {
  if (!object) return { refusal: refusal?.code === 422 ? { code: 422 } : refusal };
  const {
    uid: _,
    resourceVersion,
    generation,
    creationTimestamp,
    managedFields,
    ...metadata
  } = object.metadata;
  const owners = (managedFields ?? []).map((entry: ManagedFields) => ({
    ...entry,
    time: entry.time !== undefined,
  }));
  const sorted = owners.sort((a, b) => (who(a) < who(b) ? -1 : 1));
  return { ...object, metadata, owners: sorted };
}

function who({ manager, operation, subresource = "" }: Omit<ManagedFields, "time">): string {
  return `${manager} ${operation} ${subresource}`;
}

/** Read and written again by ours: the same, in the same order. */
function reencoded(object: Stored): Stored {
  return withOwners(object, decodeOwners(object.metadata.managedFields) ?? new Map());
}

async function release({ metadata }: Stored): Promise<void> {
  await world.client.patch(resource, metadata, { type: "merge", patch: { metadata: { finalizers: null } } });
  await world.client.delete(resource, metadata);
}
