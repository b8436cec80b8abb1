import { isRecord } from "../../lib/json.ts";
import { checkNumber } from "./check_number.ts";
import { correlate, unchanged } from "./correlate.ts";
import { checkEmbedded } from "./embedded.ts";
import { checkListTypes } from "./list_type.ts";
import { invalid, type Problem, required, tooMany } from "./problem.ts";
import { checkEnum, checkString, checkType } from "./scalar.ts";
import { fieldSchema, type Structural } from "./structural.ts";

/**
 * What is wrong with a value, in the API server's words and under its paths. Prune and default first. With the
 * value that it replaces, the parts that did not change are let through, so that a tightened schema does not
 * lock up the objects that are already there.
 */
export function validate(schema: Structural, value: unknown, old?: unknown): readonly Problem[] {
  const problems = checkNode(schema, value, old, "");
  problems.push(...checkEmbedded(schema, value, ""));
  if (old === undefined || checkListTypes(schema, old, "").length === 0) {
    problems.push(...checkListTypes(schema, value, ""));
  }
  return problems;
}

function checkNode(schema: Structural, value: unknown, old: unknown, field: string): Problem[] {
  if (old !== undefined && unchanged(schema, value, old)) return [];
  const problems: Problem[] = [];
  const wrongType = checkType(schema, value, field);
  if (wrongType) problems.push(wrongType);
  if (value !== null) {
    problems.push(...checkJunctors(schema, value, field));
    if (typeof value === "string") problems.push(...checkString(schema, value, field));
    if (typeof value === "number") problems.push(...checkNumber(schema, value, field));
    if (Array.isArray(value)) problems.push(...checkList(schema, value, old, field));
  }
  const notListed = checkEnum(schema, value, field);
  if (notListed) problems.push(notListed);
  if (isRecord(value)) problems.push(...checkObject(schema, value, old, field));
  return problems;
}

function checkList(schema: Structural, value: readonly unknown[], old: unknown, field: string): Problem[] {
  const { items, minItems, maxItems } = schema;
  const oldItem = correlate(schema, old);
  const problems = items
    ? value.flatMap((item, i) => checkNode(items, item, oldItem(item), `${field}[${i}]`))
    : [];
  if (minItems !== undefined && value.length < minItems) {
    problems.push(invalid(field, value.length, `${field} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems)
    problems.push(tooMany(field, value.length, maxItems));
  return problems;
}

function checkObject(
  schema: Structural,
  value: Record<string, unknown>,
  old: unknown,
  field: string,
): Problem[] {
  const { minProperties, maxProperties } = schema;
  const names = Object.keys(value);
  const problems: Problem[] = [];
  if (minProperties !== undefined && names.length < minProperties) {
    problems.push(
      invalid(field, names.length, `${field} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    problems.push(tooMany(field, names.length, maxProperties));
  }
  const path = (name: string) => (field === "" ? name : `${field}.${name}`);
  for (const name of names) {
    const child = fieldSchema(schema, name);
    const before = isRecord(old) ? old[name] : undefined;
    if (child) problems.push(...checkNode(child, value[name], before, path(name)));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) problems.push(required(path(name)));
  }
  return problems;
}

function checkJunctors(schema: Structural, value: unknown, field: string): Problem[] {
  const problems: Problem[] = [];
  const refuse = (text: string) => problems.push(invalid("", "", `${JSON.stringify(field)} must ${text}`));
  const run = (alternative: Structural) => checkNode(alternative, value, undefined, field);

  if (schema.anyOf) {
    const failures = schema.anyOf.map(run);
    if (!failures.some(isEmpty)) {
      refuse("validate at least one schema (anyOf)");
      problems.push(...closest(failures));
    }
  }
  if (schema.oneOf) {
    const failures = schema.oneOf.map(run);
    const count = failures.filter(isEmpty).length;
    if (count !== 1) {
      const found = count === 0 ? "Found none valid" : `Found ${count} valid alternatives`;
      refuse(`validate one and only one schema (oneOf). ${found}`);
      if (count === 0) problems.push(...closest(failures));
    }
  }
  if (schema.allOf) {
    const failures = schema.allOf.map(run);
    problems.push(...failures.flat());
    if (!failures.every(isEmpty)) {
      refuse(`validate all the schemas (allOf)${failures.some(isEmpty) ? "" : ". None validated"}`);
    }
  }
  if (schema.not && run(schema.not).length === 0) refuse("not validate the schema (not)");
  return problems;
}

function isEmpty(list: readonly Problem[]): boolean {
  return list.length === 0;
}

/** The alternative that came closest explains best. */
function closest(failures: readonly Problem[][]): readonly Problem[] {
  return failures.reduce((best, next) => (next.length < best.length ? next : best));
}
