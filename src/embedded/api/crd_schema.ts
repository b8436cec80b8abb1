import { applyDefaults } from "../../kube/schema/default.ts";
import { invalid, type Problem, required } from "../../kube/schema/problem.ts";
import { prune } from "../../kube/schema/prune.ts";
import type { CelEvaluator } from "../../kube/schema/rules.ts";
import { META_FIELDS, type Structural, type ValidationRule } from "../../kube/schema/structural.ts";
import { validate } from "../../kube/schema/validate.ts";
import { jsonEqual } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";

/** What the API server refuses about the schema of a CRD, at least: that it is not structural, or does not work. */
export function checkCrdSchema(schema: Structural, path: string, cel: CelEvaluator): readonly Problem[] {
  const root =
    schema.type === "object"
      ? []
      : [invalid(`${path}.type`, schema.type ?? "", "must be object at the root")];
  return [...root, ...checkNode(schema, path, { cel, resource: true })];
}

interface Context {
  readonly cel: CelEvaluator;
  /** The node has apiVersion, kind and metadata. */
  readonly resource: boolean;
}

function checkNode(schema: Structural, path: string, { cel, resource }: Context): readonly Problem[] {
  const problems = [...checkDefault(schema, path), ...checkNodeRules(schema, path, { cel, resource })];
  const below = (child: Structural, at: string, what: string) => {
    problems.push(...checkTyped(child, at, what));
    problems.push(
      ...checkNode(child, at, { cel, resource: child["x-kubernetes-embedded-resource"] === true }),
    );
  };
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (resource && META_FIELDS.has(name)) continue;
    below(child, `${path}.properties[${name}]`, "object fields");
  }
  if (typeof schema.additionalProperties === "object") {
    below(schema.additionalProperties, `${path}.additionalProperties`, "object fields");
  }
  if (schema.items) below(schema.items, `${path}.items`, "array items");
  else if (schema.type === "array") problems.push(required(`${path}.items`, "must be specified"));
  return problems;
}

function checkTyped(schema: Structural, path: string, what: string): readonly Problem[] {
  const open = schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  if (schema.type !== undefined || open) return [];
  return [required(`${path}.type`, `must not be empty for specified ${what}`)];
}

function checkDefault(schema: Structural, path: string): readonly Problem[] {
  if (schema.default === undefined || schema.default === null) return [];
  const at = `${path}.default`;
  const { default: value, ...bare } = schema;
  const root: Structural = { type: "object", properties: { value: bare } };
  const { value: pruned } = prune(root, { value });
  if (!jsonEqual(pruned, { value })) return [invalid(at, value, "must not have unknown fields")];
  return validate(root, applyDefaults(root, pruned)).map((problem) => ({
    ...problem,
    field: problem.field.replace(/^value/, at),
    message: problem.message.replaceAll("value in body", `${at} in body`),
  }));
}

function checkNodeRules(schema: Structural, path: string, context: Context): readonly Problem[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, i) =>
    checkRule(schema, rule, `${path}.x-kubernetes-validations[${i}]`, context),
  );
}

function checkRule(
  schema: Structural,
  rule: ValidationRule,
  path: string,
  { cel, resource }: Context,
): readonly Problem[] {
  if (!rule.rule?.trim()) return [required(`${path}.rule`, "rule is not specified")];
  try {
    const optionalOldSelf = rule.optionalOldSelf ?? false;
    const { resultType } = cel.compile(rule.rule, schema, { resource, optionalOldSelf });
    if (resultType === "bool" || resultType === "dyn") return [];
    return [invalid(`${path}.rule`, shown(rule), "cel expression must evaluate to a bool")];
  } catch (error) {
    return [invalid(`${path}.rule`, shown(rule), `compilation failed: ${compileError(rule.rule, error)}`)];
  }
}

function shown({ rule, message = "" }: ValidationRule): object {
  return { rule, message };
}

/** In the API server's words where they are known. */
function compileError(rule: string, error: unknown): string {
  const message = messageOf(error);
  const field = /No such key: (\w+)/.exec(message)?.[1];
  if (field === undefined) return `ERROR: ${message}`;
  const column = rule.indexOf(`.${field}`) + 1;
  return `ERROR: <input>:1:${column}: undefined field '${field}'`;
}
