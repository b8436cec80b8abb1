import { Environment, Optional, type ParseResult } from "@marcbachmann/cel-js";
import { isRecord } from "../../lib/json.ts";
import { celName } from "./cel_name.ts";
import { declareSelf } from "./cel_types.ts";
import type { CelEvaluator, CelOptions, CelProgram } from "./rules.ts";
import { fieldSchema, type Structural } from "./structural.ts";

/** A rule that does not compile, or names what its schema does not have. */
export class CelError extends Error {
  override name = "CelError";
}

/**
 * CEL by cel-js, for the embedded API server and for checking our own rules. Kubernetes' own libraries
 * (quantities, URLs, IP addresses, semantic versions) are not there: a rule that calls them does not compile.
 */
export function celEvaluator(): CelEvaluator {
  const plain = dynamicEnvironment("dyn");
  const optional = dynamicEnvironment("optional<dyn>");
  const cache = new WeakMap<Structural, Map<string, CelProgram>>();
  const types = new LastTypes();
  return {
    compile(expression, schema, options = {}) {
      const known = cache.get(schema) ?? new Map<string, CelProgram>();
      cache.set(schema, known);
      const key = `${options.optionalOldSelf === true} ${options.resource === true} ${expression}`;
      const program =
        known.get(key) ??
        compile(options.optionalOldSelf ? optional : plain, types.of(schema, options, depthOf(expression)), {
          expression,
          schema,
          options,
        });
      known.set(key, program);
      return program;
    },
  };
}

/** The rules of one node are checked one after the other: its types, which take longer than the checks, serve them all. */
class LastTypes {
  #last: { readonly schema: Structural; readonly key: string; readonly types: Environment } | undefined;

  of(schema: Structural, options: CelOptions, depth: number): Environment {
    const key = `${options.optionalOldSelf === true} ${options.resource === true} ${depth}`;
    if (this.#last?.schema !== schema || this.#last.key !== key) {
      this.#last = { schema, key, types: declareSelf(schema, options, depth) };
    }
    return this.#last.types;
  }
}

/** More fields than this an expression does not go down: each takes a dot or a bracket. */
function depthOf(expression: string): number {
  return 1 + (expression.match(/[.[]/g)?.length ?? 0);
}

/** Types were checked against the schema; values are then taken as they come. */
function dynamicEnvironment(oldSelf: string): Environment {
  return new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable("self", "dyn")
    .registerVariable("oldSelf", oldSelf);
}

interface Rule {
  readonly expression: string;
  readonly schema: Structural;
  readonly options: CelOptions;
}

function compile(
  dynamic: Environment,
  typed: Environment,
  { expression, schema, options }: Rule,
): CelProgram {
  const result = typed.check(expression);
  if (!result.valid) throw new CelError(firstLine(result.error), { cause: result.error });
  const parsed = dynamic.parse(expression);
  return {
    usesOldSelf: mentions(parsed.ast, "oldSelf"),
    resultType: String(result.type),
    evaluate(value, old) {
      const self = toCel(schema, value, options.resource);
      const before = old === undefined ? undefined : toCel(schema, old, options.resource);
      const oldSelf = options.optionalOldSelf ? Optional.of(before) : before;
      return run(parsed, oldSelf === undefined ? { self } : { self, oldSelf });
    },
  };
}

function run(program: ParseResult, context: Record<string, unknown>): unknown {
  try {
    return program(context);
  } catch (error) {
    throw new CelError(firstLine(error), { cause: error });
  }
}

/** cel-js draws the source below its messages. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? text;
}

function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((item) => mentions(item, name));
  if (!isRecord(node)) return false;
  return (node.op === "id" && node.args === name) || mentions(node.args, name);
}

/**
 * A JSON value as CEL sees it under its schema: 64-bit integers, doubles, times, bytes, escaped names. Of a resource's
 * metadata it sees the names alone; the rest would be most of the object.
 */
function toCel(
  schema: Structural | undefined,
  value: unknown,
  resource = schema?.["x-kubernetes-embedded-resource"] ?? false,
): unknown {
  if (typeof value === "number") {
    return schema?.type !== "number" && Number.isInteger(value) ? BigInt(value) : value;
  }
  if (typeof value === "string") {
    if (schema?.format === "date-time" || schema?.format === "date") return new Date(value);
    return schema?.format === "byte" ? Uint8Array.from(Buffer.from(value, "base64")) : value;
  }
  if (Array.isArray(value)) return value.map((item) => toCel(schema?.items, item));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    if (resource && name === "metadata") return [name, namesIn(item)];
    const own = schema?.properties !== undefined && Object.hasOwn(schema.properties, name);
    return [(own && celName(name)) || name, toCel(fieldSchema(schema, name), item)];
  });
  return Object.fromEntries(entries);
}

function namesIn(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  const { name, generateName } = metadata;
  return { ...(name === undefined ? {} : { name }), ...(generateName === undefined ? {} : { generateName }) };
}
