import type { FieldNode, FieldSet, PathElement } from "./field_set.ts";
import { fieldTyping, isAtomic, isNamed, itemTyping, type Typing } from "./typing.ts";

/** The set with every field that the schema names and that has fields of the set below it. */
export function withNamedFields(set: FieldSet, typing: Typing | undefined): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  for (const [element, { member, below }] of set) {
    const named = typing !== undefined && element.startsWith("f:") && isNamed(typing, element.slice(2));
    const child = typing && childTyping(typing, element);
    out.set(element, { member: member || (named && below.size > 0), below: withNamedFields(below, child) });
  }
  return out;
}

/**
 * The set as it would be had the schema always been what it is: fields below what is now owned as one piece
 * become that piece.
 */
export function reconcileFields(set: FieldSet, typing: Typing): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  for (const [element, node] of set) {
    const child = childTyping(typing, element);
    if (!child || node.below.size === 0) out.set(element, node);
    else if (isPiece(child)) out.set(element, { member: true, below: new Map() });
    else out.set(element, { member: node.member, below: reconcileFields(node.below, child) });
  }
  return out;
}

function isPiece({ schema }: Typing): boolean {
  if (schema.type === "object") return isAtomic(schema, "map");
  return schema.type === "array" && isAtomic(schema, "list");
}

function childTyping(typing: Typing, element: PathElement): Typing | undefined {
  const { type } = typing.schema;
  if (element.startsWith("f:")) {
    return type === "object" || type === undefined ? fieldTyping(typing, element.slice(2)) : undefined;
  }
  return type === "array" || type === undefined ? itemTyping(typing) : undefined;
}
