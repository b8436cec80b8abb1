import { isRecord } from "../../lib/json.ts";
import { type FieldNode, type FieldSet, fieldElement, NO_FIELDS, type PathElement } from "./field_set.ts";
import {
  type Fields,
  fieldsIn,
  fieldTyping,
  isNamed,
  itemElement,
  itemsIn,
  itemTyping,
  shapeOf,
  type Typing,
} from "./typing.ts";

/** Every field and item that a value sets: what whoever applies it owns. */
export function fieldsOf(typing: Typing, value: unknown): FieldSet {
  return nodeOf(typing, value).below;
}

function nodeOf(typing: Typing, value: unknown): FieldNode {
  const shape = shapeOf(typing, value);
  if (shape === "leaf") return { member: true, below: NO_FIELDS };
  if (shape === "map") return { member: false, below: fields(typing, fieldsIn(value)) };
  return { member: false, below: items(typing, itemsIn(value)) };
}

function fields(typing: Typing, value: Fields): FieldSet {
  const set = new Map<PathElement, FieldNode>();
  for (const [name, field] of Object.entries(value)) {
    const child = fieldTyping(typing, name);
    if (!child) continue;
    const node = nodeOf(child, field);
    const member = node.member || isEmpty(field) || !isNamed(typing, name);
    if (member || node.below.size > 0) set.set(fieldElement(name), { member, below: node.below });
  }
  return set;
}

/** Null and the empty object have nothing below them that could be owned; the empty list counts as nothing at all. */
function isEmpty(value: unknown): boolean {
  return value === null || (isRecord(value) && Object.keys(value).length === 0);
}

function items(typing: Typing, value: readonly unknown[]): FieldSet {
  const set = new Map<PathElement, FieldNode>();
  for (const item of value) {
    const element = itemElement(typing, item);
    // Items that cannot be told apart are owned together, as one piece.
    const below = set.has(element) ? NO_FIELDS : nodeOf(itemTyping(typing), item).below;
    set.set(element, { member: true, below });
  }
  return set;
}
