import { jsonEqual } from "../../lib/json.ts";
import { checkExtensions } from "./check_extensions.ts";
import { checkJunctors } from "./check_junctors.ts";
import { checkNodeRules } from "./check_rules.ts";
import { error, type Finding, warning } from "./finding.ts";
import { isUncheckedFormat } from "./format.ts";
import { patternTrouble } from "./pattern.ts";
import { problemText } from "./problem.ts";
import { prune } from "./prune.ts";
import type { CelEvaluator } from "./rules.ts";
import { META_FIELDS, type Structural } from "./structural.ts";
import { validate } from "./validate.ts";

/** Where a node stands, and what that forbids. */
export interface Place {
  readonly path: string;
  readonly level: "root" | "field" | "item";
  /** Inside apiVersion, kind or metadata, which are Kubernetes' own. */
  readonly meta: boolean;
  /** False below lists that have no keys: there no rule can know the old value. */
  readonly correlated: boolean;
  readonly cel: CelEvaluator;
}

/** All that is wrong with the schema of a resource. */
export function checkSchema(schema: Structural, path: string, cel: CelEvaluator): readonly Finding[] {
  return checkNode(schema, { path, level: "root", meta: false, correlated: true, cel });
}

function checkNode(schema: Structural, place: Place): readonly Finding[] {
  const findings = [
    ...checkKeywords(schema, place),
    ...checkType(schema, place),
    ...checkExtensions(schema, place.path),
    ...checkDefault(schema, place),
    ...checkOwnRules(schema, place),
    ...checkJunctors(schema, place.path),
  ];
  if (findings.every(({ severity }) => severity === "warning"))
    findings.push(...checkNodeRules(schema, place));
  const { path, correlated, cel } = place;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const meta = place.meta || (isResource(schema, place) && META_FIELDS.has(name));
    findings.push(
      ...checkNode(child, { path: `${path}.properties[${name}]`, level: "field", meta, correlated, cel }),
    );
  }
  if (typeof schema.additionalProperties === "object") {
    findings.push(
      ...checkNode(schema.additionalProperties, {
        ...place,
        path: `${path}.additionalProperties`,
        level: "field",
      }),
    );
  }
  if (schema.items) {
    const keyed = schema["x-kubernetes-list-type"] === "map";
    const below = {
      path: `${path}.items`,
      level: "item",
      meta: place.meta,
      correlated: correlated && keyed,
      cel,
    } as const;
    findings.push(...checkNode(schema.items, below));
  }
  return findings;
}

function isResource(schema: Structural, place: Place): boolean {
  return place.level === "root" || schema["x-kubernetes-embedded-resource"] === true;
}

const TYPES: ReadonlySet<string> = new Set(["object", "array", "string", "integer", "number", "boolean"]);
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "type title description default nullable properties additionalProperties items format enum minimum exclusiveMinimum " +
    "maximum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems minProperties maxProperties " +
    "required externalDocs example allOf anyOf oneOf not x-kubernetes-preserve-unknown-fields " +
    "x-kubernetes-int-or-string x-kubernetes-embedded-resource x-kubernetes-list-type x-kubernetes-list-map-keys " +
    "x-kubernetes-map-type x-kubernetes-validations"
  ).split(" "),
);

function checkKeywords(schema: Structural, { path }: Place): readonly Finding[] {
  const findings = Object.keys(schema)
    .filter((keyword) => !KEYWORDS.has(keyword))
    .map((keyword) => error(`${path}.${keyword}`, "is not part of a structural schema"));
  for (const bound of ["exclusiveMinimum", "exclusiveMaximum"] as const) {
    if (schema[bound] !== undefined && typeof schema[bound] !== "boolean") {
      findings.push(
        error(`${path}.${bound}`, "must be true or false; the bound itself is minimum or maximum"),
      );
    }
  }
  if (schema.multipleOf !== undefined && !(schema.multipleOf >= 1 || schema.type === "number")) {
    findings.push(error(`${path}.multipleOf`, "of an integer must be at least 1"));
  }
  const trouble = schema.pattern === undefined ? undefined : patternTrouble(schema.pattern);
  if (trouble !== undefined) findings.push(error(`${path}.pattern`, trouble));
  if (schema.format !== undefined && isUncheckedFormat(schema.format)) {
    findings.push(
      error(`${path}.format`, `${schema.format} is not checked by the interpreter; use a pattern`),
    );
  }
  return findings;
}

function checkType(schema: Structural, place: Place): readonly Finding[] {
  const { path, level } = place;
  const { type, items, properties, additionalProperties } = schema;
  const findings: Finding[] = [];
  const untyped = schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  if (type === undefined && !untyped) findings.push(error(`${path}.type`, "is missing"));
  if (type !== undefined && !TYPES.has(type)) findings.push(error(`${path}.type`, `${type} is not a type`));
  if (level === "root" && type !== "object")
    findings.push(error(`${path}.type`, "must be object at the root"));
  if (type === "array" && !items) findings.push(error(`${path}.items`, "is missing"));
  if (items && type !== "array") findings.push(error(`${path}.items`, "is for arrays alone"));
  if (Array.isArray(items)) findings.push(error(`${path}.items`, "must be one schema for all the items"));
  if ((properties || additionalProperties) && type !== "object" && !untyped) {
    findings.push(error(`${path}.type`, "must be object where there are properties"));
  }
  if (properties && Object.keys(properties).length > 0 && additionalProperties !== undefined) {
    findings.push(error(`${path}.additionalProperties`, "excludes properties"));
  }
  if (level === "root" && additionalProperties !== undefined) {
    findings.push(error(`${path}.additionalProperties`, "is forbidden at the root"));
  }
  if (isResource(schema, place)) findings.push(...checkMeta(properties, place));
  return findings;
}

function checkMeta(properties: Structural["properties"], { path, level }: Place): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [name, type] of [
    ["apiVersion", "string"],
    ["kind", "string"],
    ["metadata", "object"],
  ] as const) {
    const child = properties?.[name];
    if (child && child.type !== type)
      findings.push(error(`${path}.properties[${name}].type`, `must be ${type}`));
  }
  const metadata = properties?.metadata;
  const stray = Object.keys(metadata?.properties ?? {}).filter(
    (name) => name !== "name" && name !== "generateName",
  );
  if (level === "root" && metadata && (stray.length > 0 || metadata.description !== undefined)) {
    findings.push(error(`${path}.properties[metadata]`, "may restrict name and generateName alone"));
  }
  return findings;
}

function checkDefault(schema: Structural, { path, level, meta }: Place): readonly Finding[] {
  if (schema.default === undefined) return [];
  const at = `${path}.default`;
  if (level === "root" || meta) return [error(at, "is forbidden here")];
  if (schema.default === null) return [error(at, "null is no default: the API server ignores it")];
  const { default: value, ...bare } = schema;
  const root: Structural = { type: "object", properties: { value: bare } };
  const pruned = prune(root, { value });
  const findings = pruned.unknown.map((field) => error(at, `has the unknown field ${field}`));
  if (!jsonEqual(pruned.value, { value })) return findings;
  return [...findings, ...validate(root, { value }).map((problem) => error(at, problemText(problem)))];
}

/** Our own rules: everything has a maximum and a description. */
function checkOwnRules(schema: Structural, { path, meta, level }: Place): readonly Finding[] {
  if (meta) return [];
  const findings: Finding[] = [];
  const text = schema.type === "string" || schema["x-kubernetes-int-or-string"];
  if (text && schema.maxLength === undefined && !schema.enum) {
    findings.push(error(`${path}.maxLength`, "is missing: every string has a maximum"));
  }
  if (schema.type === "array" && schema.maxItems === undefined) {
    findings.push(error(`${path}.maxItems`, "is missing: every list has a maximum"));
  }
  if (schema.additionalProperties !== undefined && schema.maxProperties === undefined) {
    findings.push(error(`${path}.maxProperties`, "is missing: every map has a maximum"));
  }
  const described =
    schema.description !== undefined || level === "item" || path.endsWith(".additionalProperties");
  if (!described) findings.push(warning(`${path}.description`, "is missing"));
  return findings;
}
