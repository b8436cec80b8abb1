import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeFields,
  difference,
  encodeFields,
  type FieldSet,
  fieldSet,
  intersection,
  keyElement,
  outside,
  pathsOf,
  pathText,
  union,
  valueElement,
} from "./field_set.ts";

const path = fc.array(fc.constantFrom("f:a", "f:b", "v:1"), { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });

const texts = (set: FieldSet) => new Set([...pathsOf(set)].map((each) => each.join("/")));
const keyed = (list: readonly (readonly string[])[]) => new Set(list.map((each) => each.join("/")));

describe("field sets behave like sets of paths", () => {
  test.each([
    ["union", union, (a: Set<string>, b: Set<string>) => a.union(b)],
    ["intersection", intersection, (a: Set<string>, b: Set<string>) => a.intersection(b)],
    ["difference", difference, (a: Set<string>, b: Set<string>) => a.difference(b)],
  ] as const)("%s", (_, ours, model) => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        expect(texts(ours(fieldSet(a), fieldSet(b)))).toEqual(model(keyed(a), keyed(b)));
      }),
    );
  });

  test("outside() also leaves out what is below a field of the other set", () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        const covered = keyed(b);
        const left = a.filter((each) => !each.some((_, i) => covered.has(each.slice(0, i + 1).join("/"))));
        expect(texts(outside(fieldSet(a), fieldSet(b)))).toEqual(keyed(left));
      }),
    );
  });
});

test("the empty path is in no set", () => {
  expect(fieldSet([[]]).size).toBe(0);
});

test("paths come siblings first, in order", () => {
  const set = fieldSet([["f:b"], ["f:a", "f:x"], ["f:a"], ["f:c", "f:y"]]);
  expect([...pathsOf(set)]).toEqual([["f:a"], ["f:b"], ["f:a", "f:x"], ["f:c", "f:y"]]);
});

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

test("paths are in the order of what they name: numbers by how large they are", () => {
  const ports = [443, 80].map((port) => [keyElement({ port, protocol: "TCP" })]);
  const set = fieldSet([...ports, [valueElement(9)], [valueElement(10)], ["f:80"], ["f:443"]]);
  expect([...pathsOf(set)].map(pathText)).toEqual([
    ".443",
    ".80",
    '[port=80,protocol="TCP"]',
    '[port=443,protocol="TCP"]',
    "[=9]",
    "[=10]",
  ]);
});
