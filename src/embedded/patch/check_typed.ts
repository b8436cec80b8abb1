import { isRecord } from "../../lib/json.ts";
import { fieldElement, pathText } from "./field_set.ts";
import {
  type Fields,
  fieldTyping,
  isAtomic,
  itemElement,
  itemTyping,
  kindOf,
  NoElement,
  type Typing,
} from "./typing.ts";

/** What keeps a value from having owners, in the API server's words; each begins with the path. */
export function checkTyped(typing: Typing, value: unknown, path: readonly string[] = []): readonly string[] {
  const problem = (text: string) => [path.length === 0 ? text : `${pathText(path)}: ${text}`];
  if (value === null) return [];
  switch (kindOf(typing, value)) {
    case "map":
      return isRecord(value)
        ? checkFields(typing, value, path)
        : problem(`expected map, got ${shown(value)}`);
    case "list":
      return Array.isArray(value)
        ? checkItems(typing, value, path)
        : problem(`expected list, got ${shown(value)}`);
    case "scalar": {
      const text = scalarProblem(typing, value);
      return text === undefined ? [] : problem(text);
    }
  }
}

function checkFields(typing: Typing, value: Fields, path: readonly string[]): readonly string[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const at = [...path, fieldElement(name)];
    const child = fieldTyping(typing, name);
    return child ? checkTyped(child, field, at) : [`${pathText(at)}: field not declared in schema`];
  });
}

function checkItems(typing: Typing, value: readonly unknown[], path: readonly string[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    let element = `i:${index}`;
    try {
      if (!isAtomic(typing.schema, "list")) element = itemElement(typing, item);
    } catch (error) {
      if (!(error instanceof NoElement)) throw error;
      return [...problems, `${pathText(path)}: element ${index}: ${error.message}`];
    }
    if (seen.has(element)) {
      problems.push(`${pathText(path)}: duplicate entries for key ${pathText([element])}`);
    }
    seen.add(element);
    problems.push(...checkTyped(itemTyping(typing), item, [...path, element]));
  }
  return problems;
}

function scalarProblem({ schema }: Typing, value: unknown): string | undefined {
  const { type, format } = schema;
  if (type === "string" && (format === undefined || format === "byte") && typeof value !== "string") {
    return `expected string, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`;
  }
  if ((type === "integer" || type === "number") && typeof value !== "number") {
    return `expected numeric (int or float), got ${goType(value)}`;
  }
  if (type === "boolean" && typeof value !== "boolean") return `expected boolean, got ${shown(value)}`;
  return typeof value === "object" ? `expected any scalar, got ${shown(value)}` : undefined;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isRecord(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** A value as Go prints it. */
function shown(value: unknown): string {
  return `&{${goText(value)}}`;
}

function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isRecord(value)) return value === null ? "<nil>" : String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, field]) => `${name}:${goText(field)}`).join(" ")}]`;
}
