import { apiVersionOf, type Resource } from "../../kube/resource.ts";
import { definitionName, definitions, type OpenApiSchema, referenceOf } from "./definitions.ts";
import { descriptionsJson } from "./generated/descriptions.js";
import type { KindInfo } from "./kind_info.ts";

/**
 * The OpenAPI documents: `/openapi/v3` is their index, `/openapi/v3/apis/<group>/<version>` one of them. Undefined
 * for every other path.
 */
export function openApi(kinds: readonly KindInfo[], path: string): object | undefined {
  const documents = Map.groupBy(kinds, ({ resource }) => documentPath(resource));
  if (path === "/openapi/v3") {
    const index = [...documents.keys()].map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}` }]);
    return { paths: Object.fromEntries(index) };
  }
  const found = documents.get(path.replace(/^\/openapi\/v3\//, ""));
  return (
    found && {
      openapi: "3.0.0",
      info: INFO,
      paths: Object.fromEntries(found.flatMap(pathsOf)),
      components: { schemas: schemasOf(found) },
    }
  );
}

const INFO = { title: "Kubernetes", version: "1.37" };

function documentPath(resource: Resource): string {
  return `${resource.group ? "apis" : "api"}/${apiVersionOf(resource)}`;
}

/** What kubectl looks for: which kind is behind a path, and what a patch of it may ask for. */
function pathsOf({ resource }: KindInfo): readonly (readonly [string, object])[] {
  const { group, version, kind, plural, namespaced } = resource;
  const folder = `/${documentPath(resource)}${namespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const operation = {
    "x-kubernetes-group-version-kind": { group, version, kind },
    responses: { "200": { description: "OK" } },
  };
  const parameters = ["dryRun", "fieldManager", "fieldValidation", "force"].map((name) => ({
    name,
    in: "query",
    schema: { type: name === "force" ? "boolean" : "string" },
  }));
  const item = { get: operation, put: { ...operation, parameters }, patch: { ...operation, parameters } };
  return [
    [folder, { get: operation, post: { ...operation, parameters } }],
    [`${folder}/{name}`, item],
  ];
}

/** The schemas of these kinds and all that they refer to, with descriptions. */
function schemasOf(kinds: readonly KindInfo[]): Record<string, OpenApiSchema> {
  const schemas: Record<string, OpenApiSchema> = {};
  const add = (name: string): void => {
    const schema = definitions.get(name);
    if (!schema || schemas[name]) return;
    schemas[name] = described(name, schema);
    for (const target of referencesIn(schema)) add(target);
  };
  for (const kind of kinds) {
    const name = kind.custom ? undefined : definitionName(kind.resource);
    if (name) add(name);
    else schemas[customName(kind.resource)] = customSchema(kind);
  }
  add(OBJECT_META);
  return schemas;
}

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

function referencesIn(schema: OpenApiSchema): readonly string[] {
  const own = referenceOf(schema);
  const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return [...(own ? [own] : []), ...below.flatMap((child) => (child ? referencesIn(child) : []))];
}

let descriptions: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;

function described(name: string, schema: OpenApiSchema): OpenApiSchema {
  descriptions ??= JSON.parse(descriptionsJson) as Record<string, Record<string, string>>;
  const texts = descriptions[name] ?? {};
  const describe = (node: OpenApiSchema, text: string | undefined): OpenApiSchema =>
    text === undefined ? node : { description: text, ...node };
  const { properties } = schema;
  if (!properties) return describe(schema, texts[""]);
  const fields = Object.entries(properties).map(([field, child]) => [field, describe(child, texts[field])]);
  return describe({ ...schema, properties: Object.fromEntries(fields) }, texts[""]);
}

/** `io.k8s.storage.snapshot.v1.VolumeSnapshot`: the group backwards, then version and kind. */
function customName({ group, version, kind }: Resource): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

function customSchema({ resource, schema }: KindInfo): OpenApiSchema {
  const { group, version, kind } = resource;
  const metadata = { allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }] };
  return {
    ...(schema as OpenApiSchema),
    properties: { ...(schema as OpenApiSchema).properties, metadata },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}
