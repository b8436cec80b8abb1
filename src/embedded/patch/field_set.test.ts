import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difference, type FieldSet, fieldSet, intersection, outside, pathsOf, union } from "./field_set.ts";

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
