import { isRecord } from "../../lib/json.ts";
import { objectMetaSchema } from "../kinds/definitions.ts";
import type { PatchableSchema } from "../kinds/kind_info.ts";
import { type FieldNode, type FieldSet, keyElement, type PathElement, valueElement } from "./field_set.ts";

/** What decides who owns which part of a value: its schema, and whether unknown fields are kept there. */
export interface Typing {
  readonly schema: PatchableSchema;
  readonly open: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

/** How a value is owned: as one piece, or field by field, or item by item. */
export type Shape = "leaf" | "map" | "list";

/** A value without schema: objects field by field, everything else as one piece. */
const DEDUCED: Typing = { schema: {}, open: true };

const TYPE_FIELDS: Readonly<Record<string, PatchableSchema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: objectMetaSchema,
};

/** The typing of a whole object; its metadata is known, whatever the schema says of it. */
export function typingOf(schema: PatchableSchema): Typing {
  return typing({ ...schema, "x-kubernetes-embedded-resource": true }, false);
}

function typing(schema: PatchableSchema, open: boolean): Typing {
  return { schema, open: open || schema["x-kubernetes-preserve-unknown-fields"] === true };
}

/** What a value is here: where the schema leaves it open, the value itself decides. Null is an empty object. */
export function kindOf({ schema }: Typing, value: unknown): "map" | "list" | "scalar" {
  switch (schema.type) {
    case "object":
      return "map";
    case "array":
      return "list";
    case undefined:
      if (Array.isArray(value)) return "list";
      return typeof value === "object" ? "map" : "scalar";
    default:
      return "scalar";
  }
}

/** How a value is owned here. */
export function shapeOf(typing: Typing, value: unknown): Shape {
  const kind = kindOf(typing, value);
  return kind === "scalar" || isAtomic(typing.schema, kind) ? "leaf" : kind;
}

/** True when values of this kind are owned as one piece. */
export function isAtomic(schema: PatchableSchema, kind: "map" | "list"): boolean {
  if (kind === "map") return schema["x-kubernetes-map-type"] === "atomic";
  const type = schema["x-kubernetes-list-type"];
  if (type !== undefined) return type === "atomic";
  return !schema["x-kubernetes-patch-strategy"]?.startsWith("merge");
}

/** The schema names the field, rather than allowing any. */
export function isNamed({ schema }: Typing, name: string): boolean {
  return namedField(schema, name) !== undefined;
}

function namedField(schema: PatchableSchema, name: string): PatchableSchema | undefined {
  if (schema["x-kubernetes-embedded-resource"] && Object.hasOwn(TYPE_FIELDS, name)) return TYPE_FIELDS[name];
  return schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

/** The typing of a field; undefined where the schema does not allow it. */
export function fieldTyping({ schema, open }: Typing, name: string): Typing | undefined {
  const named = namedField(schema, name);
  if (named) return typing(named, open);
  const rest = schema.additionalProperties;
  if (typeof rest === "object") return typing(rest, open);
  return rest || open || !namesFields(schema) ? DEDUCED : undefined;
}

function namesFields(schema: PatchableSchema): boolean {
  if (schema["x-kubernetes-embedded-resource"]) return true;
  for (const _ in schema.properties) return true;
  return false;
}

/** The typing of every item of a list. */
export function itemTyping({ schema, open }: Typing): Typing {
  return schema.items ? typing(schema.items, open) : DEDUCED;
}

/** The fields of a value; none if it is no object. */
export function fieldsIn(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** The items of a value; none if it is no list. */
export function itemsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field's own value; undefined when it is absent, whatever its name. */
export function fieldIn(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** An item of a list that is owned item by item has nothing that tells it from others. */
export class NoElement extends Error {
  override name = "NoElement";
}

/** The element that leads to an item of a list that is owned item by item. */
export function itemElement({ schema }: Typing, item: unknown): PathElement {
  const keys = keysOf(schema);
  if (keys.length === 0) return setElement(item);
  if (item === null) throw new NoElement("associative list with keys may not have a null element");
  if (!isRecord(item)) throw new NoElement("associative list with keys may not have non-map elements");
  const fields = keys.flatMap((key): [string, unknown][] => {
    const field = schema.items?.properties?.[key];
    const value = Object.hasOwn(item, key) ? item[key] : (field?.default ?? field?.zero);
    return value === undefined ? [] : [[key, value]];
  });
  if (fields.length === 0) {
    const names = `[${keys.map((key) => JSON.stringify(key)).join(" ")}]`;
    throw new NoElement(
      `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(Object.fromEntries(fields));
}

function keysOf(schema: PatchableSchema): readonly string[] {
  const key = schema["x-kubernetes-patch-merge-key"];
  if (schema["x-kubernetes-list-type"] !== undefined) return schema["x-kubernetes-list-map-keys"] ?? [];
  return key === undefined ? [] : [key];
}

function setElement(item: unknown): PathElement {
  if (item === null)
    throw new NoElement("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new NoElement("not supported: associative list with lists as elements");
  if (isRecord(item)) throw new NoElement("associative list without keys has an element that's a map type");
  return valueElement(item);
}

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
