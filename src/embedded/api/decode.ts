import { apiVersionOf } from "../../kube/resource.ts";
import { applyDefaults } from "../../kube/schema/default.ts";
import type { Problem } from "../../kube/schema/problem.ts";
import { prune } from "../../kube/schema/prune.ts";
import { fieldSchema, type Structural } from "../../kube/schema/structural.ts";
import { validate } from "../../kube/schema/validate.ts";
import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";

/** What becomes of fields that the kind does not have. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** The value is not an object of its kind. The message is the API server's own, without what surrounds it. */
export class DecodingError extends Error {
  override name = "DecodingError";
}

export interface DecodeOptions {
  /** Paths of the fields that were there more than once. Default none. */
  readonly duplicates?: readonly string[];
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
}

/**
 * A value as an object of its kind: without unknown fields, which are refused or warned of, of the right types,
 * and with defaults.
 */
export function decode(kind: KindInfo, value: Record<string, unknown>, options: DecodeOptions): Stored {
  const { schema } = kind;
  const metaSchema = schema.properties?.metadata ?? {};
  const given = value.metadata ?? {};
  const meta = pruneMeta(metaSchema, withoutNulls(metaSchema, given));
  const content = kind.custom ? value : (withoutNulls(schema, value) as Record<string, unknown>);
  const pruned = prune(schema, { ...content, metadata: meta.value });
  const unknown = [...meta.unknown, ...pruned.unknown];
  const object = {
    ...(pruned.value as Record<string, unknown>),
    apiVersion: apiVersionOf(kind.resource),
    kind: kind.resource.kind,
    metadata: withoutEmpty(applyDefaults(metaSchema, meta.value)),
  };
  checkTypes(kind, object);
  report(
    [
      ...(options.duplicates ?? []).map((path) => `duplicate field ${JSON.stringify(path)}`),
      ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ],
    options,
  );
  const defaulted = applyDefaults(schema, object) as Stored;
  return kind.defaults ? kind.defaults(defaulted) : defaulted;
}

/** Null is what Go takes for nothing: a field that is not there or, in a map of texts, the empty text. */
function withoutNulls(schema: Structural | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(schema?.items, item));
  if (!isRecord(value) || !schema) return value;
  const { additionalProperties } = schema;
  const texts = isRecord(additionalProperties) && additionalProperties.type === "string";
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const child = fieldSchema(schema, name);
    if (field !== null || child?.type === undefined) fields.push([name, withoutNulls(child, field)]);
    else if (texts) fields.push([name, ""]);
  }
  return Object.fromEntries(fields);
}

/** The metadata of a root is not looked into by prune(): here it is a field like any other. */
function pruneMeta(schema: Structural, metadata: unknown): { value: unknown; unknown: readonly string[] } {
  const { value, unknown } = prune({ type: "object", properties: { data: schema } }, { data: metadata });
  return {
    value: (value as { data: unknown }).data,
    unknown: unknown.map((path) => `meta${path}`),
  };
}

function report(texts: readonly string[], { fieldValidation, warn }: DecodeOptions): void {
  if (fieldValidation === "Ignore" || texts.length === 0) return;
  if (fieldValidation === "Strict") throw new DecodingError(`strict decoding error: ${texts.join(", ")}`);
  for (const text of texts) warn(text);
}

/** The server keeps no empty labels, annotations, finalizers or owners, and no zero generation. */
function withoutEmpty(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => {
      if (value === "" || value === null || value === 0) return false;
      return typeof value !== "object" || Object.keys(value).length > 0;
    }),
  );
}

/** Of built-in kinds every field has a Go type; of custom ones only the metadata, and the schema does the rest. */
function checkTypes(kind: KindInfo, object: Record<string, unknown>): void {
  const { metadata } = kind.schema.properties ?? {};
  const schema = kind.custom
    ? { type: "object" as const, properties: { metadata: metadata ?? {} } }
    : kind.schema;
  const wrong = validate(schema, object).find(({ reason }) => reason === "FieldValueTypeInvalid");
  if (wrong) throw new DecodingError(goMessage(kind, wrong));
}

const GO_FOUND: Readonly<Record<string, string>> = { integer: "number", boolean: "bool" };
const GO_TYPES: Readonly<Record<string, string>> = {
  integer: "int32",
  boolean: "bool",
  object: "map[string]string",
  array: "[]string",
};

function goMessage(kind: KindInfo, { field, message }: Problem): string {
  const found = /^Invalid value: "(\w+)"/.exec(message)?.[1] ?? "value";
  const wanted = /must be of type (\w+)/.exec(message)?.[1] ?? "string";
  let schema: Structural | undefined = kind.schema;
  let title = kind.resource.kind;
  const path: string[] = [];
  for (const step of field.replaceAll(/\[\d+\]/g, ".[]").split(".")) {
    if (schema?.title && step !== "[]") title = schema.title;
    const mapped: boolean = schema?.properties === undefined;
    schema = step === "[]" ? schema?.items : fieldSchema(schema, step);
    if (step !== "[]" && !mapped) path.push(step);
  }
  if (kind.custom) path.shift();
  const type = GO_TYPES[wanted] ?? wanted;
  return `json: cannot unmarshal ${GO_FOUND[found] ?? found} into Go struct field ${title}.${path.join(".")} of type ${type}`;
}
