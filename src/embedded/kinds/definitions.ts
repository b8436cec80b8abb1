import { definitionsJson } from "./generated/definitions.js";
import type { PatchableSchema } from "./kind_info.ts";

/** A schema as OpenAPI writes it: other definitions are named, not contained. */
export interface OpenApiSchema
  extends Omit<PatchableSchema, "properties" | "items" | "additionalProperties"> {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

/** What a kind is called in full. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Every definition of the pinned Kubernetes that a built-in kind uses, by its full name, without descriptions. */
export const definitions: ReadonlyMap<string, OpenApiSchema> = new Map(
  Object.entries(JSON.parse(definitionsJson) as Record<string, OpenApiSchema>),
);

/** What is kept of a schema beside its shape. */
const KEPT = [
  "default",
  "enum",
  "format",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
] as const;

const REFERENCE = "#/components/schemas/";
const linked = new Map<string, PatchableSchema>();
const namesByKind = new Map<string, string>();
for (const [name, schema] of definitions) {
  for (const kind of schema["x-kubernetes-group-version-kind"] ?? []) namesByKind.set(idOf(kind), name);
}

/** The name of the definition of a built-in kind. */
export function definitionName(kind: GroupVersionKind): string | undefined {
  return namesByKind.get(idOf(kind));
}

/** The definition that a schema only points to. */
export function referenceOf(schema: OpenApiSchema): string | undefined {
  return (schema.$ref ?? schema.allOf?.[0]?.$ref)?.slice(REFERENCE.length);
}

/**
 * The schema of a built-in kind, references resolved. Its nodes are shared and may contain themselves (the schemas
 * within a CustomResourceDefinition do): walk it along a value, never on its own. The title of a node is the name
 * of its Go type.
 */
export function builtinSchema(kind: GroupVersionKind): PatchableSchema {
  const name = definitionName(kind);
  if (!name) throw new TypeError(`there is no schema of ${kind.kind} in ${kind.group}/${kind.version}`);
  return definition(name);
}

/** The schema of any object's metadata. */
export const objectMetaSchema: PatchableSchema = definition(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
);

function idOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function definition(name: string): PatchableSchema {
  const known = linked.get(name);
  if (known) return known;
  const source = definitions.get(name);
  if (!source) throw new TypeError(`there is no definition ${name}`);
  const title = name.slice(name.lastIndexOf(".") + 1);
  const fields = source.properties ?? {};
  const required = (source.required ?? []).filter((field) => fields[field]?.default === undefined);
  const properties: Record<string, PatchableSchema> = {};
  const schema: PatchableSchema = {
    title,
    ...link(source),
    ...(required.length > 0 ? { required } : {}),
    ...(source.properties ? { properties } : {}),
  };
  // Known before its fields are: a reference back to it finds it, and sees its fields later.
  linked.set(name, schema);
  for (const [field, child] of Object.entries(fields)) {
    properties[field] = withoutZero(link(child), source.required?.includes(field) ?? false, field);
  }
  return schema;
}

function link(source: OpenApiSchema): PatchableSchema {
  const { type, items, additionalProperties: rest } = source;
  const target = referenceOf(source);
  const marks = Object.fromEntries(KEPT.flatMap((mark) => (mark in source ? [[mark, source[mark]]] : [])));
  if (target !== undefined) {
    return Object.keys(marks).length > 0 ? { ...definition(target), ...marks } : definition(target);
  }
  if (source.format === "int-or-string") return { "x-kubernetes-int-or-string": true };
  // Unlike the schemas of custom kinds, Go has bytes of which there are none.
  if (source.format === "byte") return { title: "Bytes", type: "string" };
  const opaque = type === undefined || (type === "object" && !source.properties && !rest);
  return {
    ...marks,
    ...(type ? { type } : {}),
    ...(items ? { items: itemSchema(link(items)) } : {}),
    ...(rest ? { additionalProperties: itemSchema(link(rest)) } : {}),
    ...(opaque ? { "x-kubernetes-preserve-unknown-fields": true as const } : {}),
  };
}

/** Items of lists and maps are given no defaults, and it is the rules of their kind that list what they may be. */
function itemSchema(schema: PatchableSchema): PatchableSchema {
  if (schema.default === undefined && schema.enum === undefined) return schema;
  const { default: _, enum: __, ...rest } = schema;
  return rest;
}

/** An optional name is left out when it is empty; every other zero is written out. */
function withoutZero(schema: PatchableSchema, required: boolean, field: string): PatchableSchema {
  if (required || field !== "name" || schema.default !== "") return schema;
  const { default: zero, ...rest } = schema;
  return { ...rest, zero };
}
