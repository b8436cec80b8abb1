import { builtinResources } from "../../src/embedded/kinds/builtin_resources.ts";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type HttpSender, readBody } from "../../src/lib/http.ts";
import { isRecord } from "../../src/lib/json.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { writeJsonModule } from "./json_module.ts";

// Writes the schemas of the built-in kinds, and the CRDs of volume snapshots, as the cluster of KUBECONFIG serves
// them: `npm run cluster -- up` starts one of the pinned version. To be run when that version changes.

type Schema = Record<string, unknown>;

const SNAPSHOT_GROUP = "snapshot.storage.k8s.io";

/** Wanted beyond what the kinds themselves refer to, with the document that holds it. */
const EXTRA_ROOTS = [{ path: "apis/apps/v1", kind: "Scale" }];

const { sender } = await connect({ clock: systemClock, processes: systemProcesses, env: process.env });
const { gitVersion } = (await get(sender, "/version")) as { gitVersion: string };

const found = new Map<string, Schema>();
for (const { path, kinds } of wantedDocuments()) {
  const document = (await get(sender, `/openapi/v3/${path}`)) as {
    components: { schemas: Record<string, Schema> };
  };
  collect(document.components.schemas, kinds, found);
}

const definitions: Record<string, Schema> = {};
const descriptions: Record<string, Record<string, string>> = {};
for (const [name, schema] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
  definitions[name] = withoutProse(schema) as Schema;
  descriptions[name] = proseOf(schema);
}
const origin = { owner: "The Kubernetes Authors", source: `a cluster of Kubernetes ${gitVersion}` };
await writeJsonModule("definitions", definitions, {
  ...origin,
  what: "OpenAPI schemas of the built-in kinds and of what they refer to",
});
await writeJsonModule("descriptions", descriptions, {
  ...origin,
  what: "What the schemas say of each type (under the empty name) and field",
});
await writeJsonModule("snapshot_crds", await snapshotCrds(), {
  ...origin,
  what: `The CustomResourceDefinitions of ${SNAPSHOT_GROUP}`,
});
sender.close();

function wantedDocuments(): readonly { path: string; kinds: readonly string[] }[] {
  const documents = new Map<string, string[]>();
  const roots = builtinResources.map(({ group, version, kind }) => ({
    path: group ? `apis/${group}/${version}` : `api/${version}`,
    kind,
  }));
  for (const { path, kind } of [...roots, ...EXTRA_ROOTS]) {
    documents.set(path, [...(documents.get(path) ?? []), kind]);
  }
  return [...documents].map(([path, kinds]) => ({ path, kinds }));
}

/** Adds the schemas of these kinds, and all that they refer to. */
function collect(schemas: Record<string, Schema>, kinds: readonly string[], into: Map<string, Schema>): void {
  const add = (name: string): void => {
    const schema = schemas[name];
    if (into.has(name) || !schema) return;
    into.set(name, schema);
    for (const [, reference = ""] of JSON.stringify(schema).matchAll(
      /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
    )) {
      add(reference);
    }
  };
  for (const kind of kinds) {
    const name = Object.keys(schemas).find(
      (key) => key.endsWith(`.${kind}`) && schemas[key]?.["x-kubernetes-group-version-kind"],
    );
    if (!name) throw new Error(`the API server has no schema of ${kind}`);
    add(name);
  }
}

function withoutProse(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutProse);
  if (!isRecord(node)) return node;
  const fields = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === "description") return [];
    if (key === "properties" && isRecord(value)) {
      const children = Object.entries(value).map(([name, child]) => [name, withoutProse(child)]);
      return [[key, Object.fromEntries(children)]];
    }
    return [[key, withoutProse(value)]];
  });
  return Object.fromEntries(fields);
}

function proseOf(schema: Schema): Record<string, string> {
  const texts: Record<string, string> = {};
  if (typeof schema.description === "string") texts[""] = schema.description;
  for (const [name, field] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    if (isRecord(field) && typeof field.description === "string") texts[name] = field.description;
  }
  return texts;
}

async function snapshotCrds(): Promise<Record<string, unknown>> {
  const client = new HttpClient({ sender, clock: systemClock, random: systemRandom });
  const { items } = await client.list(CustomResourceDefinitions);
  const crds: Record<string, unknown> = {};
  for (const { metadata, spec } of items) {
    if (!metadata.name.endsWith(`.${SNAPSHOT_GROUP}`) || !isRecord(spec)) continue;
    const { "kubectl.kubernetes.io/last-applied-configuration": _, ...annotations } =
      metadata.annotations ?? {};
    const versions = (spec.versions as Schema[]).filter((version) => version.served);
    crds[metadata.name] = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: metadata.name, annotations },
      spec: { ...spec, versions },
    };
  }
  return crds;
}

async function get(from: HttpSender, path: string): Promise<unknown> {
  const { status, body } = await from.send({ method: "GET", path, headers: { accept: "application/json" } });
  const text = (await readBody(body)).toString("utf8");
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return JSON.parse(text);
}
