import { Float, invalid, type Problem, showNumber } from "./problem.ts";
import { isInt64 } from "./scalar.ts";
import type { Structural } from "./structural.ts";

/**
 * What is wrong with a number: that its type and format cannot hold it, or that it breaks a bound. For an integer the
 * API server cuts the bound's fraction off before it compares. A bound that the type cannot hold is refused with every
 * value, and compared as it is.
 */
export function checkNumber(schema: Structural, value: number, field: string): readonly Problem[] {
  const { minimum, maximum, multipleOf } = schema;
  const problems: Problem[] = [];
  const hold = (what: string, number: number): boolean => {
    const holds = canHold(schema, number);
    if (!holds) problems.push(unfit(schema, what, field));
    return holds;
  };
  const compare = (what: string, limit: number, breach: (limit: number, whole: boolean) => string) => {
    const holds = hold(what, limit);
    const whole = holds && isInt64(value);
    const detail = breach(whole ? Math.trunc(limit) : limit, whole);
    const shown = holds ? value : new Float(value);
    if (detail) problems.push(invalid(field, shown, `${field} in body should be ${detail}`));
  };
  hold("Checked", value);
  if (multipleOf !== undefined) {
    const factor = canHold(schema, multipleOf) && isInt64(value) ? Math.trunc(multipleOf) : multipleOf;
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${field} must be positive: ${showNumber(factor)}`;
      hold("MultipleOf", multipleOf);
      problems.push(invalid(field, factor, detail));
    } else {
      compare("MultipleOf", multipleOf, (limit, whole) =>
        isMultiple(value, limit, whole) ? "" : `a multiple of ${showNumber(limit)}`,
      );
    }
  }
  if (minimum !== undefined) {
    compare("Minimum boundary", minimum, (min) => {
      if (schema.exclusiveMinimum) return value <= min ? `greater than ${showNumber(min)}` : "";
      return value < min ? `greater than or equal to ${showNumber(min)}` : "";
    });
  }
  if (maximum !== undefined) {
    compare("Maximum boundary", maximum, (max) => {
      if (schema.exclusiveMaximum) return value >= max ? `less than ${showNumber(max)}` : "";
      return value > max ? `less than or equal to ${showNumber(max)}` : "";
    });
  }
  return problems;
}

/** Where a schema has several types, or none, any number will do. */
function canHold({ type, format }: Structural, number: number): boolean {
  if (type === "number") return format !== "float" || Number.isFinite(Math.fround(number));
  if (type !== "integer") return true;
  return format === "int32" ? number === (number | 0) : isInt64(number);
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** The API server names no field there but in the text. */
function unfit({ type, format = "" }: Structural, what: string, field: string): Problem {
  const form = FORMATS[type ?? ""]?.includes(format) ? `with format ${format}` : "(default format)";
  return invalid("", "", `${what} value must be of type ${type} ${form} in ${field}`);
}

function isMultiple(value: number, factor: number, whole: boolean): boolean {
  if (whole) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  if (Math.abs(times) > Number.MAX_SAFE_INTEGER) return false;
  const below = Math.trunc(times);
  return times === below || Math.abs(times - below) / (Math.abs(times) + Math.abs(below)) < 1e-9;
}
