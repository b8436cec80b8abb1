import { isRecord } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import { correlate, unchanged } from "./correlate.ts";
import { duplicate, forbidden, invalid, OMITTED, type Problem, required } from "./problem.ts";
import { fieldSchema, type Structural, somewhereIn, type ValidationRule } from "./structural.ts";

/** CEL as a port: the programs that never evaluate rules do not load an evaluator. */
export interface CelEvaluator {
  /** Throws when the expression does not compile, or does not fit the schema. */
  compile(expression: string, schema: Structural, options?: CelOptions): CelProgram;
}

export interface CelOptions {
  /** `oldSelf` is an optional. Default false. */
  readonly optionalOldSelf?: boolean;
  /** The node is a resource, with apiVersion, kind and metadata. Default false. */
  readonly resource?: boolean;
}

export interface CelProgram {
  readonly usesOldSelf: boolean;
  /** CEL's name for the type of the result, such as `bool`; `dyn` when only an evaluation can tell. */
  readonly resultType: string;
  /** The result; throws when the evaluation fails. `old` is undefined when there is none. */
  evaluate(self: unknown, old: unknown): unknown;
}

/** Evaluates the rules of a schema on a value, and on the one that it replaces. */
export function checkRules(
  schema: Structural,
  value: unknown,
  options: { readonly cel: CelEvaluator; readonly old?: unknown },
): readonly Problem[] {
  return checkNode(
    { schema, value, old: options.old, field: "", resource: true, settled: false },
    options.cel,
  );
}

/** True when any node of a schema has rules. */
export const hasRules = somewhereIn(
  ({ "x-kubernetes-validations": rules }) => rules !== undefined && rules.length > 0,
);

interface Node {
  readonly schema: Structural;
  readonly value: unknown;
  readonly old: unknown;
  readonly field: string;
  readonly resource: boolean;
  /** Part of a value that the update leaves as it was. */
  readonly settled: boolean;
}

/** A null has no rules: what may be absent or null is for the surrounding value to judge. */
function checkNode(node: Node, cel: CelEvaluator): Problem[] {
  const { schema, value, field } = node;
  if (value === null || value === undefined) return [];
  const problems = (schema["x-kubernetes-validations"] ?? []).flatMap((rule) => checkRule(node, rule, cel));
  const below = (child: Structural | undefined, item: unknown, old: unknown, path: string) => {
    if (!child || !hasRules(child)) return;
    const resource = child["x-kubernetes-embedded-resource"] === true;
    const settled = old === undefined ? node.settled : unchanged(child, item, old);
    const next = { schema: child, value: item, old: old ?? undefined, field: path, resource, settled };
    problems.push(...checkNode(next, cel));
  };
  if (Array.isArray(value)) {
    const oldItem = correlate(schema, node.old);
    for (const [i, item] of value.entries()) below(schema.items, item, oldItem(item), `${field}[${i}]`);
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      const own = schema.properties && Object.hasOwn(schema.properties, name);
      const path = own ? (field === "" ? name : `${field}.${name}`) : `${field}[${name}]`;
      below(fieldSchema(schema, name), item, isRecord(node.old) ? node.old[name] : undefined, path);
    }
  }
  return problems;
}

function checkRule(node: Node, rule: ValidationRule, cel: CelEvaluator): readonly Problem[] {
  const { schema, value, old, field, resource } = node;
  const shown = schema.type ?? "";
  const what = (rule.message ?? rule.rule).trim();
  const optionalOldSelf = rule.optionalOldSelf ?? false;
  let program: CelProgram;
  try {
    program = cel.compile(rule.rule, schema, { optionalOldSelf, resource });
  } catch (error) {
    return [invalid(field, shown, `rule compile error: ${messageOf(error)}`)];
  }
  if (program.usesOldSelf && old === undefined && !optionalOldSelf) return [];
  try {
    if (program.evaluate(value, old) === true) return [];
  } catch (error) {
    return [invalid(field, shown, `${messageOf(error)} evaluating rule: ${what}`)];
  }
  if (!program.usesOldSelf && node.settled) return [];
  const detail =
    evaluatedMessage(node, rule, cel) ?? (rule.message ? rule.message.trim() : `failed rule: ${what}`);
  const refused = shown === "object" || shown === "array" ? OMITTED : value;
  return [failure(field + (rule.fieldPath ?? ""), refused, detail, rule.reason)];
}

function evaluatedMessage(node: Node, rule: ValidationRule, cel: CelEvaluator): string | undefined {
  if (!rule.messageExpression) return undefined;
  try {
    const text = cel
      .compile(rule.messageExpression, node.schema, { resource: node.resource })
      .evaluate(node.value, node.old);
    if (typeof text !== "string" || text.trim() === "" || text.trim().includes("\n")) return undefined;
    return text.trim();
  } catch {
    // The API server falls back to the fixed message as well.
    return undefined;
  }
}

function failure(path: string, value: unknown, detail: string, reason: ValidationRule["reason"]): Problem {
  const field = path.replace(/^\./, "");
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return duplicate(field, value);
    default:
      return invalid(field, value, detail);
  }
}
