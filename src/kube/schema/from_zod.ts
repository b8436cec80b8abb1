import { z } from "zod";
import { isRecord, type Json } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import type { Structural } from "./structural.ts";
import { UNION_MARK } from "./vocabulary.ts";

/** A structural schema that still knows which of its objects are unions. */
export interface Authored extends Structural {
  readonly properties?: Readonly<Record<string, Authored>>;
  readonly additionalProperties?: Authored | true;
  readonly items?: Authored;
  readonly [UNION_MARK]?: true;
}

/** A zod schema says something that a CRD cannot. */
export class NotStructural extends Error {
  override name = "NotStructural";
}

/** Translates a zod schema. Throws NotStructural for what has no place in a CRD, with what to write instead. */
export function fromZod(schema: z.ZodType): Authored {
  return translate(jsonSchemaOf(schema), "");
}

function jsonSchemaOf(schema: z.ZodType): unknown {
  try {
    return z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", reused: "inline", cycles: "throw" });
  } catch (cause) {
    const why = messageOf(cause).split("\n", 1)[0];
    throw new NotStructural(`zod cannot put the schema into JSON: ${why}`, { cause });
  }
}

/** Copied as they are. */
const KEPT = new Set(
  (
    "type title description default nullable format enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf " +
    "minLength maxLength pattern minItems maxItems minProperties maxProperties required " +
    `x-kubernetes-preserve-unknown-fields x-kubernetes-int-or-string x-kubernetes-embedded-resource ` +
    `x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations ${UNION_MARK}`
  ).split(" "),
);
/** Notes of zod's that constrain nothing, or that no CRD can say: keys of maps are not checked. */
const DROPPED = new Set(["$schema", "id", "propertyNames", "contentEncoding", "~standard"]);

function translate(json: unknown, path: string): Authored {
  if (!isRecord(json)) throw refuse(path, "a boolean schema", "describe the value");
  if (json["x-kubernetes-int-or-string"] === true) {
    const { anyOf: _, type: __, ...rest } = json;
    return translateKeywords(rest, path);
  }
  return translateKeywords(json, path);
}

function translateKeywords(json: Record<string, unknown>, path: string): Authored {
  const out: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(json)) {
    if (KEPT.has(keyword)) out[keyword] = value;
    else if (!DROPPED.has(keyword)) Object.assign(out, translateKeyword(keyword, value, path));
  }
  if (json["x-kubernetes-preserve-unknown-fields"] === true) delete out.additionalProperties;
  if (isRecord(out.properties) && Object.keys(out.properties).length === 0) delete out.properties;
  if (out.default === null) delete out.default;
  return withoutUnsafeBounds(out) as Authored;
}

function translateKeyword(
  keyword: string,
  value: unknown,
  path: string,
): Record<string, Json | Authored | object> {
  switch (keyword) {
    case "properties": {
      const fields = Object.entries(value as object).map(([name, child]) => [
        name,
        translate(child, `${path}.${name}`),
      ]);
      return { properties: Object.fromEntries(fields) };
    }
    case "items":
      return { items: translate(value, `${path}[]`) };
    case "additionalProperties":
      if (value === false) return {};
      return { additionalProperties: translate(value, `${path}{}`) };
    case "const":
      return { enum: [value as Json] };
    case "anyOf":
    case "oneOf":
      throw refuse(path, "a union", "use oneOf() from the vocabulary, intOrString(), or an enum");
    case "allOf":
      throw refuse(path, "an intersection", "extend the object with its fields");
    default:
      throw refuse(path, `the keyword ${keyword}`, "leave it out, or teach fromZod what it means");
  }
}

/** zod bounds every integer by what a double holds exactly; that is no rule of ours. */
function withoutUnsafeBounds(schema: Record<string, unknown>): Record<string, unknown> {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

function refuse(path: string, what: string, instead: string): NotStructural {
  return new NotStructural(
    `${path === "" ? "the schema" : path.replace(/^\./, "")}: a CRD cannot hold ${what}; ${instead}`,
  );
}

/** The schema without the marks that only the generator reads. */
export function structuralOf(schema: Authored): Structural {
  const { [UNION_MARK]: _, properties, additionalProperties, items, ...rest } = schema;
  return {
    ...rest,
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, child]) => [name, structuralOf(child)]),
          ),
        }
      : {}),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: additionalProperties === true ? true : structuralOf(additionalProperties) }),
    ...(items ? { items: structuralOf(items) } : {}),
  };
}
