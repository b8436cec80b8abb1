import { isRecord } from "../../lib/json.ts";
import type { FieldSet, PathElement } from "./field_set.ts";
import { fieldElement } from "./path_element.ts";
import { fieldTyping, itemElement, itemTyping, kindOf, shapeOf, type Typing } from "./typing.ts";

/** The value without these fields and items. Null for a container that none of its content is left of. */
export function removeFields(typing: Typing, value: unknown, fields: FieldSet): unknown {
  if (kindOf(typing, value) === "scalar") return value;
  const shape = shapeOf(typing, value);
  if (shape === "map" && isRecord(value)) {
    const left = Object.entries(value).flatMap(([name, field]) =>
      keep(fieldTyping(typing, name), field, fieldElement(name), fields).map((kept) => [name, kept]),
    );
    return left.length > 0 ? Object.fromEntries(left) : null;
  }
  if (shape === "list" && Array.isArray(value)) {
    const left = value.flatMap((item) => keep(itemTyping(typing), item, itemElement(typing, item), fields));
    return left.length > 0 ? left : null;
  }
  return null;
}

/** What is left of a field or item: nothing, or its one value. */
function keep(
  typing: Typing | undefined,
  value: unknown,
  element: PathElement,
  fields: FieldSet,
): [] | [unknown] {
  const node = fields.get(element);
  if (!node) return [value];
  if (node.member) return [];
  return [typing ? removeFields(typing, value, node.below) : value];
}
