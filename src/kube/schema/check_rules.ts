import { messageOf } from "../../lib/result.ts";
import type { Place } from "./check_schema.ts";
import { error, type Finding } from "./finding.ts";
import type { CelOptions } from "./rules.ts";
import type { Structural, ValidationRule } from "./structural.ts";

/** What is wrong with the CEL rules of one node. What a rule costs, only the API server can say. */
export function checkNodeRules(schema: Structural, place: Place): readonly Finding[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.flatMap((rule, i) =>
    checkRule(schema, rule, place, `${place.path}.x-kubernetes-validations[${i}]`),
  );
}

function checkRule(schema: Structural, rule: ValidationRule, place: Place, path: string): readonly Finding[] {
  if (rule.rule.trim() === "") return [error(`${path}.rule`, "is empty")];
  const findings: Finding[] = [];
  if (rule.message === undefined) findings.push(error(`${path}.message`, "is missing: errors speak"));
  else if (rule.message.trim() === "" || rule.message.includes("\n")) {
    findings.push(error(`${path}.message`, "must be one line of text"));
  }
  if (rule.fieldPath !== undefined && !reaches(schema, rule.fieldPath)) {
    findings.push(error(`${path}.fieldPath`, `${rule.fieldPath} is no field of this schema`));
  }
  const resource = place.level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const options: CelOptions = { resource, optionalOldSelf: rule.optionalOldSelf ?? false };
  findings.push(...checkExpression(schema, rule, place, path, options));
  if (rule.messageExpression !== undefined) {
    const result = compile(schema, rule.messageExpression, place, { resource });
    if (typeof result === "string") findings.push(error(`${path}.messageExpression`, result));
    else if (result.resultType !== "string" && result.resultType !== "dyn") {
      findings.push(error(`${path}.messageExpression`, `gives ${result.resultType}, not a string`));
    }
  }
  return findings;
}

function checkExpression(
  schema: Structural,
  rule: ValidationRule,
  place: Place,
  path: string,
  options: CelOptions,
): readonly Finding[] {
  const program = compile(schema, rule.rule, place, options);
  if (typeof program === "string") return [error(`${path}.rule`, program)];
  const findings: Finding[] = [];
  if (program.resultType !== "bool" && program.resultType !== "dyn") {
    findings.push(error(`${path}.rule`, `gives ${program.resultType}, not a bool`));
  }
  if (program.usesOldSelf && !place.correlated) {
    findings.push(error(`${path}.rule`, "cannot use oldSelf inside a list without keys"));
  }
  if (!program.usesOldSelf && rule.optionalOldSelf !== undefined) {
    findings.push(error(`${path}.optionalOldSelf`, "is only for rules that use oldSelf"));
  }
  return findings;
}

/** The program, or why there is none. */
function compile(schema: Structural, expression: string, { cel }: Place, options: CelOptions) {
  try {
    return cel.compile(expression, schema, options);
  } catch (cause) {
    return `does not compile: ${messageOf(cause)}`;
  }
}

/** Follows a path of fields, `.a.b` or `.a['b']`. */
function reaches(schema: Structural, fieldPath: string): boolean {
  if (!/^(\.[^.[\]]+|\['[^']+'\])+$/.test(fieldPath)) return false;
  let at: Structural | undefined = schema;
  for (const [, plain, quoted] of fieldPath.matchAll(/\.([^.[\]]+)|\['([^']+)'\]/g)) {
    const rest: Structural["additionalProperties"] = at?.additionalProperties;
    at = at?.properties?.[plain ?? quoted ?? ""] ?? (typeof rest === "object" ? rest : undefined);
    if (!at) return false;
  }
  return true;
}
