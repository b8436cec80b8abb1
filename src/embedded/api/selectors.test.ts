import { expect, test } from "vitest";
import { sample, sampleKey } from "../store/testing/sample.ts";
import { fieldMatcher, parseFieldSelector } from "./selectors.ts";

test.each([
  ["", []],
  ["a=b", [{ field: "a", op: "=", value: "b" }]],
  [
    "a==b,,c!=d,",
    [
      { field: "a", op: "=", value: "b" },
      { field: "c", op: "!=", value: "d" },
    ],
  ],
  ["a=", [{ field: "a", op: "=", value: "" }]],
  [String.raw`a=b\,c\=d\\`, [{ field: "a", op: "=", value: "b,c=d\\" }]],
])("%j is %j", (text, terms) => {
  expect(parseFieldSelector(text)).toEqual(terms);
});

test.each([
  ["abc", "invalid selector: 'abc'; can't understand 'abc'"],
  ["x=1,abc", "invalid selector: 'x=1,abc'; can't understand 'abc'"],
  [String.raw`a=b\c`, String.raw`invalid field selector: invalid escape sequence: \c`],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
])("%j is refused in the API server's words", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: 400, message }));
});

const plain = { selectableFields: {}, custom: false };
const pods = { selectableFields: { "spec.nodeName": () => "node-1" }, custom: false };
const object = sample(sampleKey("a", "team"), "1");

test.each([
  ["metadata.name=a,metadata.namespace=team", true],
  ["metadata.name=b", false],
  ["metadata.namespace!=team", false],
  ["spec.nodeName=node-1", true],
  ["spec.nodeName!=node-2,metadata.name=b", false],
])("%j selects: %j", (text, selected) => {
  expect(fieldMatcher(parseFieldSelector(text), pods)(object)).toBe(selected);
});

test("a field that the kind is not selected by is refused in the API server's words", () => {
  const terms = parseFieldSelector("toString=x");
  expect(() => fieldMatcher(terms, plain)).toThrow(
    '"toString" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
  expect(() => fieldMatcher(terms, pods)).toThrow("field label not supported: toString");
  expect(() => fieldMatcher(terms, { ...plain, custom: true })).toThrow(
    "field label not supported: toString",
  );
});
