import { isRecord } from "../../lib/json.ts";
import type { PathElement } from "./field_set.ts";

/** The element that leads to a field of an object. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The element that leads to the item with these key fields. */
export function keyElement(fields: Readonly<Record<string, unknown>>): PathElement {
  return `k:${canonicalJson(fields)}`;
}

/** The element that leads to the item that is this scalar. */
export function valueElement(value: unknown): PathElement {
  return `v:${canonicalJson(value)}`;
}

/** An element that came from outside, in the form in which equal elements are equal texts; undefined for none. */
export function parseElement(text: string): PathElement | undefined {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case "f:":
      return text;
    case "k:": {
      const fields: unknown = JSON.parse(content);
      return isRecord(fields) ? keyElement(fields) : undefined;
    }
    case "v:":
      return valueElement(JSON.parse(content));
    case "i:":
      return `i:${Number.parseInt(content, 10)}`;
    default:
      return undefined;
  }
}

/** The path as the API server shows it to people: `.spec.ports[containerPort=80].name`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join("");
}

function elementText(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${content}`;
    case "k": {
      const fields = JSON.parse(content) as Record<string, unknown>;
      return `[${Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)}]`;
    }
    case "v":
      return `[=${JSON.stringify(JSON.parse(content))}]`;
    default:
      return `[${content}]`;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };

/** Sorted, and with what HTML gives a meaning to escaped: as the API server writes it. */
function canonicalJson(value: unknown): string {
  const sorted = isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
  return JSON.stringify(sorted).replace(/[<>&]/g, (character) => ESCAPED[character] ?? character);
}
