import { formatCheck } from "./format.ts";
import { compilePattern } from "./pattern.ts";
import { invalid, notSupported, type Problem, tooLong, typeInvalid } from "./problem.ts";
import type { Structural } from "./structural.ts";

/** What JSON calls a value. An integer is a number that the API server would decode into 64 bits. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export function jsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInt64(value) ? "integer" : "number";
  if (typeof value === "string" || typeof value === "boolean") return typeof value as JsonType;
  return "object";
}

export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** The wrong type, or undefined. A list passes for a string with a format: the API server's way. */
export function checkType(schema: Structural, value: unknown, field: string): Problem | undefined {
  const types = acceptedTypes(schema);
  const found = jsonType(value);
  if (found === "null") {
    return types.length === 0 || schema.nullable ? undefined : typeInvalid(field, types.join(","), found);
  }
  const format = formatCheck(schema.format) ? schema.format : undefined;
  if (types.length === 0 && !format) return undefined;
  if (types.includes(found) || (found === "integer" && types.includes("number"))) return undefined;
  const numeric = types.includes("number") || types.includes("integer");
  if (format && (found === "string" || found === "array")) {
    return numeric ? typeInvalid(field, types.join(","), found) : undefined;
  }
  if (format) return typeInvalid(field, format, NATIVE_FORMATS[found] ?? "");
  return typeInvalid(field, types.join(","), found);
}

const NATIVE_FORMATS: Partial<Record<JsonType, string>> = { integer: "int64", number: "float64" };

function acceptedTypes(schema: Structural): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

export function checkEnum(schema: Structural, value: unknown, field: string): Problem | undefined {
  if (!schema.enum || schema.enum.length === 0) return undefined;
  const allowed = schema.enum.some((item) => sameEnumValue(item, value));
  return allowed ? undefined : notSupported(field, value, schema.enum);
}

/** The API server converts the value to the listed one's type first: 1.5 counts as 1. Null never matches. */
function sameEnumValue(listed: unknown, value: unknown): boolean {
  if (value === null || listed === null) return false;
  if (typeof listed === "number" && typeof value === "number") {
    return listed === (isInt64(listed) ? Math.trunc(value) : value);
  }
  return typeof listed === "object" ? JSON.stringify(listed) === JSON.stringify(value) : listed === value;
}

/** At most one problem with the text itself, and one with its format. */
export function checkString(schema: Structural, value: string, field: string): readonly Problem[] {
  const problems: Problem[] = [];
  const length = runes(value);
  if (schema.maxLength !== undefined && length > schema.maxLength)
    problems.push(tooLong(field, schema.maxLength));
  else if (schema.minLength !== undefined && length < schema.minLength) {
    problems.push(
      invalid(field, value, `${field} in body should be at least ${schema.minLength} chars long`),
    );
  } else if (schema.pattern && !compilePattern(schema.pattern)?.test(value)) {
    problems.push(invalid(field, value, `${field} in body should match '${schema.pattern}'`));
  }
  const fits = formatCheck(schema.format);
  if (schema.format !== undefined && fits && !fits(value))
    problems.push(typeInvalid(field, schema.format, value));
  return problems;
}

/** Length in code points, as Go counts runes. */
function runes(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
