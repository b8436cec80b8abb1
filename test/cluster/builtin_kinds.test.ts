import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ControlPlane } from "../../src/embedded/control_plane.ts";
import { builtinResources } from "../../src/embedded/kinds/builtin_resources.ts";
import { MemoryStore } from "../../src/embedded/store/memory_store.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { Namespaces } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Client } from "../../src/kube/client.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { isRecord } from "../../src/lib/json.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { type Manifest, manifests } from "./builtin_manifests.ts";
import { connectToTestCluster } from "./schema_cluster.ts";
import { filled } from "./world.ts";

const NAMESPACE = `kinds-${systemRandom.hex(3)}`;
let real: Client;
let embedded: Client;

beforeAll(async () => {
  real = await connectToTestCluster();
  const ports = { clock: systemClock, random: systemRandom };
  const plane = new ControlPlane({ store: new MemoryStore(ports), ...ports });
  embedded = new HttpClient({ sender: plane.sender, ...ports });
  for (const client of [real, embedded]) await client.create(Namespaces, { metadata: { name: NAMESPACE } });
  await filled(real, NAMESPACE);
});
afterAll(() => real.delete(Namespaces, { name: NAMESPACE }));

describe("the embedded API server completes and refuses as the real one does:", () => {
  test.each(manifests.map((manifest) => [`${manifest.kind}: ${manifest.name}`, manifest] as const))(
    "%s",
    async (_, manifest) => {
      const [theirs, ours] = await Promise.all([verdict(real, manifest), verdict(embedded, manifest)]);
      expect(ours).toEqual(theirs);
    },
  );
});

type Verdict =
  | { readonly taken: unknown }
  | { readonly code: number; readonly message?: string; readonly causes: readonly string[] };

async function verdict(client: Client, { kind, object, change }: Manifest): Promise<Verdict> {
  const resource = builtinResources.find((builtin) => builtin.kind === kind);
  if (!resource) throw new Error(`${kind} is not built in`);
  const name = kind === "Namespace" ? `${NAMESPACE}-other` : `it-${systemRandom.hex(4)}`;
  const namespace = resource.namespaced ? { namespace: NAMESPACE } : {};
  const given = isRecord(object.metadata) ? object.metadata : {};
  const draft = placed({ ...object, metadata: { ...given, name, ...namespace } }) as KubeObject;
  try {
    if (!change) return { taken: comparable(await client.create(resource, draft, { dryRun: true }), name) };
    await client.create(resource, draft);
    try {
      const patch = { type: "merge" as const, patch: placed(change) as object };
      const target = { name, ...namespace };
      const changed = await client.patch(resource, target, patch, { dryRun: true });
      // The real cluster's controllers have begun to fill the status in.
      return { taken: comparable({ ...changed, status: undefined } as KubeObject, name) };
    } finally {
      await client.delete(resource, { name, ...namespace }, { propagation: "Background" });
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused(error, name);
  }
}

/** Events speak of objects in their own namespace. */
function placed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"namespace":"default"', `"namespace":"${NAMESPACE}"`));
}

function refused(error: ApiError, name: string): Verdict {
  const causes = error.causes.map(
    ({ reason, field, message = "" }) => `${field}: ${reason}: ${wordsOf(message)}`,
  );
  // A refusal without causes has nothing but its words; behind them come those of Go's JSON decoder.
  const [message = ""] = error.message.replaceAll(name, "it").split(/(?<=cannot be handled as an? \w+: )/);
  return {
    code: error.code,
    causes: [...new Set(causes)].sort(),
    ...(causes.length === 0 ? { message } : {}),
  };
}

/**
 * The words of a refusal. After the first line comes a difference in Go's notation; what objects look like is up to
 * Go too; and the values that would do are named in any order.
 */
function wordsOf(message: string): string {
  const [line = ""] = message.split("\n");
  return line
    .replace(/(Invalid|Unsupported) value: [{[].*[}\]]: /, "$1 value: {…}: ")
    .replace(/(?<=supported values: ).*/, (values) => values.split(", ").sort().join(", "));
}

/** An object without what differs from one to the next, and what only a cluster with kubelets adds. */
function comparable(object: KubeObject, name: string): unknown {
  const { uid, resourceVersion: _, creationTimestamp: __, managedFields: ___, ...metadata } = object.metadata;
  const text = JSON.stringify({ ...object, metadata })
    .replaceAll(uid, "UID")
    .replaceAll(name, "it");
  return withoutClusterParts(withoutNulls(JSON.parse(text)));
}

/** A null and nothing are the same to every client. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(
    kept.map(([key, item]) => [key, key === "lastPhaseTransitionTime" ? "now" : withoutNulls(item)]),
  );
}

const TOKEN = /^kube-api-access-/;

/** A pod without its token, and without what matters only between several nodes. */
function withoutClusterParts(value: unknown): unknown {
  if (!isRecord(value) || value.kind !== "Pod" || !isRecord(value.spec)) return value;
  const without = (list: unknown) =>
    Array.isArray(list) ? list.filter((item) => !TOKEN.test(String((item as { name: string }).name))) : list;
  const strip = (container: Record<string, unknown>) => {
    const { volumeMounts, ...rest } = container;
    const mounts = without(volumeMounts);
    return Array.isArray(mounts) && mounts.length > 0 ? { ...rest, volumeMounts: mounts } : rest;
  };
  const lists = ["containers", "initContainers"].flatMap((key) => {
    const list = (value.spec as Record<string, unknown>)[key];
    return Array.isArray(list) ? [[key, list.map(strip)]] : [];
  });
  const { volumes, tolerations: _, ...spec } = value.spec;
  const { qosClass: __, ...status } = isRecord(value.status) ? value.status : {};
  const kept = without(volumes);
  const some = Array.isArray(kept) && kept.length > 0 ? { volumes: kept } : {};
  return { ...value, spec: { ...spec, ...some, ...Object.fromEntries(lists) }, status };
}
