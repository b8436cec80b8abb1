import { formatCheck } from "./format.ts";
import { compilePattern } from "./pattern.ts";
import { invalid, notSupported, type Problem, showNumber, tooLong, typeInvalid } from "./problem.ts";
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

function isInt64(value: number): boolean {
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

/** For an integer the API server cuts the bounds' fractions off before it compares. */
export function checkNumber(schema: Structural, value: number, field: string): readonly Problem[] {
  const whole = isInt64(value);
  const bound = (limit: number) => (whole ? Math.trunc(limit) : limit);
  const problems: Problem[] = [];
  const refuse = (text: string) => problems.push(invalid(field, value, `${field} in body should be ${text}`));
  if (schema.multipleOf !== undefined) {
    const factor = bound(schema.multipleOf);
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${field} must be positive: ${showNumber(factor)}`;
      problems.push(invalid(field, factor, detail));
    } else if (!isMultiple(value, factor, whole)) refuse(`a multiple of ${showNumber(factor)}`);
  }
  if (schema.minimum !== undefined) {
    const min = bound(schema.minimum);
    if (schema.exclusiveMinimum && value <= min) refuse(`greater than ${showNumber(min)}`);
    else if (value < min) refuse(`greater than or equal to ${showNumber(min)}`);
  }
  if (schema.maximum !== undefined) {
    const max = bound(schema.maximum);
    if (schema.exclusiveMaximum && value >= max) refuse(`less than ${showNumber(max)}`);
    else if (value > max) refuse(`less than or equal to ${showNumber(max)}`);
  }
  return problems;
}

function isMultiple(value: number, factor: number, whole: boolean): boolean {
  if (whole) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  if (Math.abs(times) > Number.MAX_SAFE_INTEGER) return false;
  const below = Math.trunc(times);
  return times === below || Math.abs(times - below) / (Math.abs(times) + Math.abs(below)) < 1e-9;
}
