import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtinKinds } from "../../src/embedded/kinds/builtin_kinds.ts";
import { bundledCrds } from "../../src/embedded/kinds/bundled_crds.ts";
import { kindsOfCrd } from "../../src/embedded/kinds/crd_kinds.ts";
import { discovery } from "../../src/embedded/kinds/discovery.ts";
import { openApi } from "../../src/embedded/kinds/openapi.ts";
import { tableOf } from "../../src/embedded/kinds/table.ts";
import type { Stored } from "../../src/embedded/store/store.ts";
import { Deployments, Jobs, Pods } from "../../src/kube/builtin.ts";
import { apiVersionOf, pathOf } from "../../src/kube/resource.ts";
import { readBody } from "../../src/lib/http.ts";
import { isRecord } from "../../src/lib/json.ts";
import { enterWorld, eventually, type World } from "./world.ts";

const snapshotKinds = bundledCrds
  .flatMap((crd) => kindsOfCrd(crd))
  .filter(({ resource }) => resource.group === "snapshot.storage.k8s.io");
const kinds = [...builtinKinds, ...snapshotKinds];

let world: World;

beforeAll(async () => {
  world = await enterWorld("views");
  const { client, namespace } = world;
  const containers = [{ name: "main", image: "holdfast/busybox:1", command: ["sh", "-c", "exit 3"] }];
  const spec = { restartPolicy: "Never" as const, containers };
  await client.create(Pods, { metadata: { name: "failed", namespace }, spec });
  await client.create(Pods, {
    metadata: { name: "initializing", namespace },
    spec: {
      containers,
      initContainers: [{ name: "i", image: "holdfast/busybox:1", command: ["sleep", "600"] }],
    },
  });
  await client.create(Jobs, { metadata: { name: "job", namespace }, spec: { template: { spec } } });
  await client.create(Deployments, {
    metadata: { name: "web", namespace },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    },
  });
  await eventually("a pod has failed", async () => {
    const { status } = await client.get(Pods, { name: "failed", namespace });
    return status?.phase === "Failed";
  });
});
afterAll(() => world[Symbol.asyncDispose]());

async function get(path: string, accept = "application/json"): Promise<Record<string, unknown>> {
  const { body } = await world.sender.send({ method: "GET", path, headers: { accept } });
  return JSON.parse((await readBody(body)).toString("utf8")) as Record<string, unknown>;
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: Stored }[];
}

/** Columns that change from one moment to the next. */
const MOVING = ["Age", "Last Seen", "First Seen", "Duration", "CreationTime", "Restarts"];

/** A table without its moving columns and the descriptions, which nobody shows. */
function still({ columnDefinitions, rows }: Table): unknown {
  const kept = columnDefinitions.map(({ name }) => !MOVING.includes(name));
  return {
    columns: columnDefinitions.map((column) => ({ ...column, description: "" })),
    rows: rows.map(({ cells, ...row }) => ({ ...row, object: null, cells: cells.filter((_, i) => kept[i]) })),
  };
}

const listed = kinds.filter(({ verbs }) => verbs.includes("list"));

describe("tables are the real server's, for everything that there is on a cluster:", () => {
  test.each(listed.map((kind) => [kind.resource.kind, kind] as const))("%s", async (_, kind) => {
    const path = `${pathOf(kind.resource)}?includeObject=Object`;
    const theirs = (await get(path, "application/json;as=Table;g=meta.k8s.io;v=v1")) as unknown as Table;
    const objects = theirs.rows.map(({ object }) => object);
    const ours = tableOf(kind, objects, { includeObject: "Object", now: Date.now() }) as Table;
    expect(still(ours)).toEqual(still(theirs));
  });
});

test("discovery says of each kind what the real server says", async () => {
  for (const groupVersion of new Set(kinds.map(({ resource }) => apiVersionOf(resource)))) {
    const path = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    const theirs = new Map(
      ((await get(path)).resources as Record<string, unknown>[]).map((resource) => [resource.name, resource]),
    );
    const ours = discovery(kinds, path, "application/json") as { resources: { name: string }[] };
    for (const resource of ours.resources) expect(resource).toEqual(theirs.get(resource.name));
  }
});

test("OpenAPI documents hold the real server's schemas", async () => {
  for (const groupVersion of new Set(kinds.map(({ resource }) => apiVersionOf(resource)))) {
    const path = `/openapi/v3/${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;
    const theirs = schemasIn(await get(path));
    const ours = schemasIn(openApi(kinds, path));
    expect(Object.keys(ours).length).toBeGreaterThan(1);
    for (const [name, schema] of Object.entries(ours)) {
      // Of a custom kind the real server describes the fields that every object has in its own words.
      if (
        isRecord(theirs[name]) &&
        isRecord(theirs[name].properties) &&
        name.startsWith("io.k8s.storage.snapshot")
      ) {
        expect(Object.keys(schema.properties as object).sort()).toEqual(
          Object.keys(theirs[name].properties).sort(),
        );
      } else expect(schema).toEqual(theirs[name]);
    }
  }
});

function schemasIn(document: unknown): Record<string, Record<string, unknown>> {
  const { components } = document as { components: { schemas: Record<string, Record<string, unknown>> } };
  return components.schemas;
}
