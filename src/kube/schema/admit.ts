import { applyDefaults } from "./default.ts";
import { invalid, type Problem, type ProblemReason } from "./problem.ts";
import { prune } from "./prune.ts";
import { type CelEvaluator, checkRules, hasRules } from "./rules.ts";
import type { Structural } from "./structural.ts";
import { validate } from "./validate.ts";

export interface Admitted {
  /** Pruned, and with defaults. */
  readonly object: unknown;
  /** Fields that were pruned: an error under strict field validation, otherwise a warning. */
  readonly unknown: readonly string[];
  readonly problems: readonly Problem[];
}

export interface AdmitOptions {
  /** The stored object that this one replaces. */
  readonly old?: unknown;
  /** Without it the CEL rules are not evaluated. */
  readonly cel?: CelEvaluator;
}

/** With one of these the API server leaves the rules alone: they could not rely on the value's shape. */
const BLOCKING: ReadonlySet<ProblemReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** All that a schema does to an object on its way in, in the API server's order. */
export function admit(schema: Structural, object: unknown, options: AdmitOptions = {}): Admitted {
  const { old, cel } = options;
  const pruned = prune(schema, object);
  const value = applyDefaults(schema, pruned.value);
  const problems = [...validate(schema, value, old)];
  if (cel && hasRules(schema)) {
    if (problems.some((problem) => BLOCKING.has(problem.reason))) problems.push(RULES_NOT_CHECKED);
    else problems.push(...checkRules(schema, value, { cel, old }));
  }
  return { object: value, unknown: pruned.unknown, problems };
}

const RULES_NOT_CHECKED = invalid(
  "",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
