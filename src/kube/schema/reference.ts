import type { Authored } from "./from_zod.ts";
import type { Kind } from "./kind.ts";
import { UNION_MARK } from "./vocabulary.ts";

/** The page of reference documentation of a kind, in Markdown. */
export function referencePage(kind: Kind): string {
  const { group, version, plural, scope, shortNames, categories } = kind;
  const lines = [
    `# ${kind.kind}`,
    "",
    kind.description,
    "",
    `- API version: \`${group}/${version}\``,
    `- Resource: \`${plural}\`${listed(", short", shortNames)}${listed(", categories", categories)}`,
    `- Scope: ${scope === "Namespaced" ? "a namespace" : "the cluster"}`,
    ...rulesOf(kind.schema, "the object"),
  ];
  const { spec, status } = kind.schema.properties ?? {};
  if (spec) lines.push("", "## spec", "", ...section(spec, "spec"));
  if (status) lines.push("", "## status", "", ...section(status, "status"));
  return `${lines.join("\n")}\n`;
}

function listed(label: string, names: readonly string[] | undefined): string {
  return names?.length ? `${label} ${names.map((name) => `\`${name}\``).join(", ")}` : "";
}

function section(schema: Authored, path: string): readonly string[] {
  const rules = rulesOf(schema, `\`${path}\``);
  return [
    ...(schema.description ? [schema.description, ""] : []),
    ...(rules.length > 0 ? [...rules, ""] : []),
    "| field | type | required | default | description |",
    "| --- | --- | --- | --- | --- |",
    ...rows(schema, path),
  ];
}

function rows(schema: Authored, path: string): readonly string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const field = `${path}.${name}`;
    const required = schema.required?.includes(name) ? "yes" : "";
    return [row(field, child, required), ...rows(child, field)];
  });
  const rest = schema.additionalProperties;
  return [
    ...own,
    ...(schema.items ? rows(schema.items, `${path}[]`) : []),
    ...(typeof rest === "object" ? rows(rest, `${path}.<name>`) : []),
  ];
}

function row(field: string, schema: Authored, required: string): string {
  const fallback = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
  const about = [schema.description ?? "", ...limits(schema), ...ruleTexts(schema)].filter(
    (text) => text !== "",
  );
  return `| ${[`\`${field}\``, typeName(schema), required, fallback, about.join(" ")].map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}

function typeName(schema: Authored): string {
  if (schema["x-kubernetes-int-or-string"]) return "integer or string";
  if (schema["x-kubernetes-embedded-resource"]) return "Kubernetes object";
  if (schema[UNION_MARK]) return "one of";
  if (schema.type === "array") {
    const kind = { set: "set", map: "list by key", atomic: "list" }[
      schema["x-kubernetes-list-type"] ?? "atomic"
    ];
    return `${kind} of ${typeName(schema.items ?? {})}`;
  }
  if (typeof schema.additionalProperties === "object")
    return `map of ${typeName(schema.additionalProperties)}`;
  return `${schema.format ?? schema.type ?? "anything"}${schema.nullable ? " or null" : ""}`;
}

function limits(schema: Authored): readonly string[] {
  const found: string[] = [];
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema.enum) found.push(`One of ${schema.enum.map((value) => `\`${value}\``).join(", ")}.`);
  if (schema.minimum !== undefined) found.push(`At least ${schema.minimum}.`);
  if (schema.maximum !== undefined) found.push(`At most ${schema.maximum}.`);
  if (schema.minLength) found.push(`At least ${schema.minLength} characters.`);
  if (schema.maxLength !== undefined) found.push(`At most ${schema.maxLength} characters.`);
  if (schema.minItems) found.push(`At least ${schema.minItems} items.`);
  if (schema.maxItems !== undefined) found.push(`At most ${schema.maxItems} items.`);
  if (schema.maxProperties !== undefined) found.push(`At most ${schema.maxProperties} entries.`);
  if (schema.pattern) found.push(`Matches \`${schema.pattern}\`.`);
  if (keys) found.push(`Told apart by ${keys.map((key) => `\`${key}\``).join(", ")}.`);
  return found;
}

function ruleTexts(schema: Authored): readonly string[] {
  return (schema["x-kubernetes-validations"] ?? []).map(
    ({ message, rule }) => `Rule: ${message ?? `\`${rule}\``}.`,
  );
}

function rulesOf(schema: Authored, what: string): readonly string[] {
  return ruleTexts(schema).map((text) => `- ${text.replace(/^Rule: /, `For ${what}: `)}`);
}
