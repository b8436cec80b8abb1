import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldSet, pathsOf } from "./field_set.ts";
import { decodeFields, encodeFields } from "./fields_v1.ts";
import { keyElement, pathText, valueElement } from "./path_element.ts";

const scalar = fc.oneof(fc.string({ unit: "grapheme", maxLength: 4 }), fc.integer(), fc.boolean());
const element = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 4 }).map((name) => `f:${name}`),
  scalar.map(valueElement),
  fc.dictionary(fc.constantFrom("name", "port"), scalar, { minKeys: 1 }).map(keyElement),
  fc.nat(9).map((index) => `i:${index}`),
);

test("a set survives being written and read", () => {
  fc.assert(
    fc.property(fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), (paths) => {
      const set = fieldSet(paths);
      const read = decodeFields(JSON.parse(JSON.stringify(encodeFields(set))));
      expect([...pathsOf(read)]).toEqual([...pathsOf(set)]);
    }),
  );
});

test("a path that is itself in the set, with fields below it, is marked by a dot", () => {
  const set = fieldSet([["f:a"], ["f:a", "f:b"], ["f:c", "f:d"]]);
  expect(encodeFields(set)).toEqual({ "f:a": { ".": {}, "f:b": {} }, "f:c": { "f:d": {} } });
});

test("the same key in another order or spelling is the same element", () => {
  const set = decodeFields({ 'k:{"b":1, "a":"<"}': {}, 'k:{"a":"\\u003c","b":1.0}': {} });
  expect([...set.keys()]).toEqual(['k:{"a":"\\u003c","b":1}']);
});

test("unknown kinds of elements are passed over", () => {
  expect(decodeFields({ "x:y": {}, "f:a": { "x:z": {} } })).toEqual(fieldSet([["f:a"]]));
});

test.each([[{ 'k:{"a"': {} }], [{ "f:a": 1 }], [[]]])("%j is malformed", (fields) => {
  expect(() => decodeFields(fields)).toThrow(SyntaxError);
});

test("a path is shown to people", () => {
  const path = ["f:spec", "f:ports", keyElement({ port: 80, name: "<w>" }), "f:tags", 'v:"x"', "i:3"];
  expect(pathText(path)).toBe('.spec.ports[name="<w>",port=80].tags[="x"][3]');
});
