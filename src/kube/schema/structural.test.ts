import { expect, test } from "vitest";
import { type Structural, somewhereIn } from "./structural.ts";

const isNullable = somewhereIn(({ nullable }) => nullable === true);
const leaf: Structural = { type: "string" };
const sought: Structural = { type: "string", nullable: true };

test.each<[where: string, schema: Structural, found: boolean]>([
  ["the schema itself", sought, true],
  ["a field", { type: "object", properties: { a: leaf, b: sought } }, true],
  ["the items of a list", { type: "array", items: sought }, true],
  ["the values of a map", { type: "object", additionalProperties: sought }, true],
  ["a field of items", { type: "array", items: { type: "object", properties: { a: sought } } }, true],
  ["no place", { type: "object", properties: { a: leaf }, additionalProperties: true }, false],
])("what is sought is found in %s", (_, schema, found) => {
  expect(isNullable(schema)).toBe(found);
  expect(isNullable(schema)).toBe(found);
});

test("somewhereIn() comes to an end in a schema that holds itself", () => {
  const nested = (leaf: Structural): Structural => {
    const properties: Record<string, Structural> = { leaf };
    const node: Structural = { type: "object", properties };
    properties.again = node;
    return node;
  };
  expect(isNullable(nested({ type: "string" }))).toBe(false);
  const node = nested({ type: "string", nullable: true });
  expect(isNullable(node)).toBe(true);
  expect(isNullable({ type: "array", items: node })).toBe(true);
});
