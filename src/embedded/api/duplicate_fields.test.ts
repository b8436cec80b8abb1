import { expect, test } from "vitest";
import { duplicateFields } from "./duplicate_fields.ts";

test("duplicateFields() finds none where each name is there once", () => {
  expect(duplicateFields('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"{\\"a\\":1,\\"a\\":2}"}')).toEqual([]);
});

test("duplicateFields() names each repetition by its path, in the order of the text", () => {
  const text = '{"data": {"a": "1", "a": "2"}, "list": [0, {"x": [], "x": {"y": 1, "y": 2}}], "data": {}}';
  expect(duplicateFields(text)).toEqual(["data.a", "list[1].x", "list[1].x.y", "data"]);
});

test("duplicateFields() sees through escapes in names", () => {
  expect(duplicateFields('{"a":1,"\\u0061":2}')).toEqual(["a"]);
});
