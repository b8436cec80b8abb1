import { isRecord } from "../../lib/json.ts";
import { invalid, type Problem, required } from "./problem.ts";
import { fieldSchema, type Structural, somewhereIn } from "./structural.ts";

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_RULE =
  "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric " +
  "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  " +
  "or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const hasEmbedded = somewhereIn((schema) => schema["x-kubernetes-embedded-resource"] === true);

/** Whole objects within an object name their apiVersion and kind. Their metadata is not looked into. */
export function checkEmbedded(
  schema: Structural | undefined,
  value: unknown,
  field: string,
): readonly Problem[] {
  if (!schema || !hasEmbedded(schema)) return [];
  if (Array.isArray(value))
    return value.flatMap((item, i) => checkEmbedded(schema.items, item, `${field}[${i}]`));
  if (!isRecord(value)) return [];
  const own = schema["x-kubernetes-embedded-resource"] ? checkTypeMeta(value, field) : [];
  const below = Object.entries(value).flatMap(([name, child]) => {
    const known = schema.properties && Object.hasOwn(schema.properties, name);
    const path = known ? (field === "" ? name : `${field}.${name}`) : `${field}[${name}]`;
    return checkEmbedded(fieldSchema(schema, name), child, path);
  });
  return [...own, ...below];
}

function checkTypeMeta(object: Record<string, unknown>, field: string): readonly Problem[] {
  const problems: Problem[] = [];
  for (const name of ["apiVersion", "kind"]) {
    const value = object[name];
    const path = `${field}.${name}`;
    if (value === undefined) problems.push(required(path));
    else if (typeof value !== "string") problems.push(invalid(path, value, "must be a string"));
    else if (value === "") problems.push(invalid(path, value, "must not be empty"));
    else if (name === "apiVersion" && value.split("/").length > 2) {
      problems.push(invalid(path, value, `unexpected GroupVersion string: ${value}`));
    } else if (name === "kind" && (value.length > 63 || !LABEL.test(value.toLowerCase()))) {
      problems.push(invalid(path, value, LABEL_RULE));
    }
  }
  return problems;
}
