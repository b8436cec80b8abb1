/** Kubernetes' reasons for refusing a field. */
export type ProblemReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueNotFound";

/** One thing wrong with an object, in the form and words of a cause in the API server's refusal. */
export interface Problem {
  /** Such as `spec.volumes[0].name`; `<nil>` for the object as a whole. */
  readonly field: string;
  readonly reason: ProblemReason;
  /** Without the field. */
  readonly message: string;
}

/** The problem as the API server puts it into a message: field first. */
export function problemText(problem: Problem): string {
  return `${problem.field}: ${problem.message}`;
}

function problem(field: string, reason: ProblemReason, what: string, detail?: string): Problem {
  return { field: field === "" ? "<nil>" : field, reason, message: detail ? `${what}: ${detail}` : what };
}

export function required(field: string, detail?: string): Problem {
  return problem(field, "FieldValueRequired", "Required value", detail);
}

export function forbidden(field: string, detail: string): Problem {
  return problem(field, "FieldValueForbidden", "Forbidden", detail);
}

/** In place of a value that is too much to show, or of no use. */
export const OMITTED = Symbol("omitted");

export function invalid(field: string, value: unknown, detail: string): Problem {
  return problem(field, "FieldValueInvalid", withValue("Invalid value", value), detail);
}

/** `found` names what is there: a type's name, or the text that does not fit a format. */
export function typeInvalid(field: string, wanted: string, found: string): Problem {
  const detail = `${field} in body must be of type ${wanted}: ${show(found)}`;
  return problem(field, "FieldValueTypeInvalid", `Invalid value: ${show(found)}`, detail);
}

export function notSupported(field: string, value: unknown, supported: readonly unknown[]): Problem {
  const list = supported.map((item) => show(typeof item === "string" ? item : JSON.stringify(item)));
  return problem(
    field,
    "FieldValueNotSupported",
    `Unsupported value: ${show(value)}`,
    `supported values: ${list.join(", ")}`,
  );
}

export function tooLong(field: string, max: number): Problem {
  const unit = max === 1 ? "byte" : "bytes";
  return problem(field, "FieldValueTooLong", "Too long", `may not be more than ${max} ${unit}`);
}

export function tooMany(field: string, count: number, max: number): Problem {
  const unit = max === 1 ? "item" : "items";
  return problem(field, "FieldValueTooMany", `Too many: ${count}`, `must have at most ${max} ${unit}`);
}

export function duplicate(field: string, value: unknown): Problem {
  return problem(field, "FieldValueDuplicate", withValue("Duplicate value", value));
}

/** The value names something that is not there. */
export function notFound(field: string, value: unknown): Problem {
  return problem(field, "FieldValueNotFound", `Not found: ${show(value)}`);
}

function withValue(what: string, value: unknown): string {
  return value === OMITTED ? what : `${what}: ${show(value)}`;
}

function show(value: unknown): string {
  if (value instanceof Float) return value.text;
  return typeof value === "number" ? showNumber(value) : JSON.stringify(value);
}

/** A number that the API server holds as a fraction, be it whole or not: large ones show with an exponent. */
export class Float {
  readonly text: string;

  constructor(value: number) {
    const isLarge = Math.abs(value) >= 1e21 || (Number.isInteger(value) && Math.abs(value) >= 1e6);
    this.text = isLarge ? exponential(value) : showNumber(value);
  }
}

/** A number as Go prints it: integers in full, fractions with an exponent when very large or very small. */
export function showNumber(value: number): string {
  if (Number.isInteger(value)) return Math.abs(value) < 2 ** 63 ? String(BigInt(value)) : exponential(value);
  const size = Math.floor(Math.log10(Math.abs(value)));
  return size < -4 || size >= 21 ? exponential(value) : String(value);
}

function exponential(value: number): string {
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
