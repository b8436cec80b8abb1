import type { Authored } from "./from_zod.ts";
import type { Kind } from "./kind.ts";
import { UNION_MARK } from "./vocabulary.ts";

/**
 * The TypeScript of a kind's spec and status as the API server stores them: what has a default is there. It is
 * text rather than zod's inference, so that what uses a kind sees plain interfaces with their descriptions, and
 * neither its imports nor its type check reach zod.
 */
export function typeText(kind: Kind): string {
  const { spec, status } = kind.schema.properties ?? {};
  const parts = [interfaceText(`${kind.kind}Spec`, spec ?? {})];
  if (status) parts.push(interfaceText(`${kind.kind}Status`, status));
  return parts.join("\n");
}

function interfaceText(name: string, schema: Authored): string {
  const doc = docText(schema.description, "");
  return schema[UNION_MARK]
    ? `${doc}export type ${name} = ${valueText(schema, "")};\n`
    : `${doc}export interface ${name} ${objectText(schema, "")}\n`;
}

function valueText(schema: Authored, indent: string): string {
  const text = plainText(schema, indent);
  return schema.nullable ? `${text} | null` : text;
}

function plainText(schema: Authored, indent: string): string {
  if (schema["x-kubernetes-int-or-string"]) return "number | string";
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = valueText(schema.items ?? {}, indent);
      return `readonly ${/[|]/.test(item) && !item.startsWith("{") ? `(${item})` : item}[]`;
    }
    case "object":
      if (schema[UNION_MARK]) return unionText(schema, indent);
      return objectText(schema, indent);
    default:
      return "unknown";
  }
}

function objectText(schema: Authored, indent: string): string {
  const rest = schema.additionalProperties;
  if (rest) return `{ readonly [name: string]: ${rest === true ? "unknown" : valueText(rest, indent)} }`;
  if (!schema.properties) {
    const open = schema["x-kubernetes-preserve-unknown-fields"];
    return open ? "{ readonly [name: string]: unknown }" : "Record<string, never>";
  }
  const lines = Object.entries(schema.properties).map(([name, child]) => {
    const there = schema.required?.includes(name) || child.default !== undefined;
    const value = valueText(child, `${indent}  `);
    const gap = value.startsWith("\n") ? "" : " ";
    const field = `${indent}  readonly ${fieldText(name)}${there ? "" : "?"}:${gap}${value};`;
    return docText(child.description, `${indent}  `) + field;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** One member per line; the others' fields are ruled out, so that a match on one narrows. */
function unionText(schema: Authored, indent: string): string {
  const members = Object.entries(schema.properties ?? {});
  const names = members.map(([name]) => name);
  const lines = members.map(([name, child]) => {
    const absent = names
      .filter((other) => other !== name)
      .map((other) => `; readonly ${fieldText(other)}?: never`);
    return `\n${indent}  | { readonly ${fieldText(name)}: ${valueText(child, `${indent}    `)}${absent.join("")} }`;
  });
  return lines.join("");
}

function fieldText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function docText(description: string | undefined, indent: string): string {
  return description
    ? `${indent}/** ${description.replaceAll("*/", "* /").replaceAll(/\s+/g, " ")} */\n`
    : "";
}
