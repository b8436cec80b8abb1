import { Environment } from "@marcbachmann/cel-js";
import { celName } from "./cel_name.ts";
import type { CelOptions } from "./rules.ts";
import type { Structural } from "./structural.ts";

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "int",
  number: "double",
  boolean: "bool",
};
const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "google.protobuf.Timestamp",
  date: "google.protobuf.Timestamp",
  byte: "bytes",
};

/**
 * An environment in which `self` and `oldSelf` have the type of a schema node, for checking expressions that reach at
 * most `depth` fields down. What is below may be anything: to declare a whole schema for each node with a rule takes
 * longer than everything else about it.
 */
export function declareSelf(schema: Structural, options: CelOptions, depth: number): Environment {
  const env = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  const type = new TypeDeclarer(env).declare(schema, options.resource ?? false, depth);
  return env
    .registerVariable("self", type)
    .registerVariable("oldSelf", options.optionalOldSelf ? `optional<${type}>` : type);
}

class TypeDeclarer {
  readonly #env: Environment;
  #count = 0;

  constructor(env: Environment) {
    this.#env = env;
  }

  declare(schema: Structural, resource: boolean, depth: number): string {
    if (schema["x-kubernetes-int-or-string"] || schema.nullable) return "dyn";
    const rest = schema.additionalProperties;
    if (rest !== undefined)
      return `map<string, ${rest === true ? "dyn" : this.declare(rest, isResource(rest), depth)}>`;
    if (schema.type === "array")
      return `list<${schema.items ? this.declare(schema.items, isResource(schema.items), depth) : "dyn"}>`;
    if (schema.type === "object" && (schema.properties || resource))
      return depth > 0 ? this.#declareObject(schema, resource, depth - 1) : "dyn";
    if (schema.type === "string" && schema.format) return FORMATS[schema.format] ?? "string";
    return SCALARS[schema.type ?? ""] ?? "dyn";
  }

  #declareObject(schema: Structural, resource: boolean, depth: number): string {
    const name = `Object${this.#count++}`;
    const fields: Record<string, string> = resource ? { apiVersion: "string", kind: "string" } : {};
    for (const [property, child] of Object.entries(schema.properties ?? {})) {
      const field = celName(property);
      if (field !== undefined && property !== "metadata")
        fields[field] = this.declare(child, isResource(child), depth);
    }
    if (resource) {
      const metadata = `Metadata${this.#count++}`;
      this.#env.registerType(metadata, { fields: { name: "string", generateName: "string" } });
      fields.metadata = metadata;
    }
    this.#env.registerType(name, { fields });
    this.#env.registerOperator(`${name} == ${name}`, () => true);
    return name;
  }
}

function isResource(schema: Structural): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}
