import { isRecord } from "../../lib/json.ts";
import { type FieldNode, type FieldSet, NO_FIELDS, type PathElement } from "./field_set.ts";
import { parseElement } from "./path_element.ts";

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
