import { isRecord } from "../../lib/json.ts";

/** A step of a path as fieldsV1 writes it: `f:name`, `k:{"name":"x"}`, `v:"x"` or `i:0`. */
export type PathElement = string;

/** A set of fields: what it has at each path. Nodes that hold nothing are left out. */
export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

export interface FieldNode {
  /** The path itself is in the set, not only fields below it. */
  readonly member: boolean;
  readonly below: FieldSet;
}

export const NO_FIELDS: FieldSet = new Map();
const ABSENT: FieldNode = { member: false, below: NO_FIELDS };

interface NewNode {
  member: boolean;
  readonly below: Map<PathElement, NewNode>;
}

/** The set of these paths. The empty path, which is the object itself, is in no set. */
export function fieldSet(paths: Iterable<readonly PathElement[]>): FieldSet {
  const root: NewNode = { member: false, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const element of path) {
      const next: NewNode = node.below.get(element) ?? { member: false, below: new Map() };
      node.below.set(element, next);
      node = next;
    }
    node.member = true;
  }
  return root.below;
}

export const union = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, UNION);
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, INTERSECTION);
export const difference = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, DIFFERENCE);

/** Which paths a combination has: those only on the left, only on the right, on both sides. */
interface Combination {
  readonly left: boolean;
  readonly right: boolean;
  readonly both: boolean;
}
const UNION: Combination = { left: true, right: true, both: true };
const INTERSECTION: Combination = { left: false, right: false, both: true };
const DIFFERENCE: Combination = { left: true, right: false, both: false };

function combine(a: FieldSet, b: FieldSet, wanted: Combination): FieldSet {
  if (b.size === 0) return wanted.left ? a : NO_FIELDS;
  if (a.size === 0) return wanted.right ? b : NO_FIELDS;
  const out = new Map<PathElement, FieldNode>();
  for (const element of new Set([...a.keys(), ...b.keys()])) {
    const left = a.get(element) ?? ABSENT;
    const right = b.get(element) ?? ABSENT;
    const below = combine(left.below, right.below, wanted);
    const member = left.member ? wanted[right.member ? "both" : "left"] : right.member && wanted.right;
    if (member || below.size > 0) out.set(element, { member, below });
  }
  return out;
}

/** The fields of `a` that are neither in `b` nor below one that is. */
export function outside(a: FieldSet, b: FieldSet): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  for (const [element, node] of a) {
    const other = b.get(element) ?? ABSENT;
    if (other.member) continue;
    const below = outside(node.below, other.below);
    if (node.member || below.size > 0) out.set(element, { member: node.member, below });
  }
  return out;
}

/** Every path of the set, in the order in which the API server names them: siblings before what is below them. */
export function* pathsOf(
  set: FieldSet,
  above: readonly PathElement[] = [],
): Iterable<readonly PathElement[]> {
  const nodes = [...set].sort(([a], [b]) => (orderOf(a) < orderOf(b) ? -1 : 1));
  for (const [element, { member }] of nodes) if (member) yield [...above, element];
  for (const [element, { below }] of nodes) yield* pathsOf(below, [...above, element]);
}

/** Numbers among keys and values are ordered by how large they are. */
function orderOf(element: PathElement): string {
  return element.replace(/(?<=":|^v:)\d+/g, (digits) => digits.padStart(20, "0"));
}

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

/** A set of fields as managedFields holds it. */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

/** The mark of a path that is itself in the set while fields below it are too. */
const SELF = ".";

/** The set in its written form, elements in order. */
export function encodeFields(set: FieldSet): FieldsV1 {
  const entries = [...set].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([element, node]) => [element, encodeNode(node)]));
}

function encodeNode({ member, below }: FieldNode): FieldsV1 {
  return { ...(member && below.size > 0 ? { [SELF]: {} } : {}), ...encodeFields(below) };
}

/** Reads a written set. Unknown kinds of elements are passed over; a malformed one throws SyntaxError. */
export function decodeFields(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return NO_FIELDS;
  if (!isRecord(fields)) throw new SyntaxError("fieldsV1 must be an object");
  const set = new Map<PathElement, FieldNode>();
  for (const [text, content] of Object.entries(fields)) {
    const element = text === SELF ? undefined : parseElement(text);
    if (element === undefined) continue;
    const below = decodeFields(content);
    const member = below.size === 0 || (isRecord(content) && Object.hasOwn(content, SELF));
    set.set(element, { member, below });
  }
  return set;
}
