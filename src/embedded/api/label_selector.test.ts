import { expect, test } from "vitest";
import { parseLabelSelector } from "./label_selector.ts";

test.each([
  ["", {}, true],
  ["app", { app: "" }, true],
  ["app", { other: "x" }, false],
  ["!app", {}, true],
  ["!app", { app: "x" }, false],
  ["app=x", { app: "x" }, true],
  ["app==x", { app: "x" }, true],
  ["app=x", { app: "y" }, false],
  ["app=", { app: "" }, true],
  ["app=", {}, false],
  ["app!=x", {}, true],
  ["app!=x", { app: "x" }, false],
  [" app  in ( x , y ) ", { app: "y" }, true],
  ["app in (x,y)", {}, false],
  ["app in ()", { app: "" }, true],
  ["app notin (x,)", { app: "" }, false],
  ["app notin (x)", {}, true],
  ["in=in", { in: "in" }, true],
  ["n>1", { n: "10" }, true],
  ["n>1", { n: "1" }, false],
  ["n>1", { n: "many" }, false],
  ["n<1", { n: "-5" }, true],
  ["n<1", {}, false],
  ["example.com/app=x,!old", { "example.com/app": "x" }, true],
  ["example.com/app=x,!old", { "example.com/app": "x", old: "" }, false],
  ["constructor", {}, false],
  ["constructor!=x", {}, true],
])("%j on %j is %j", (selector, labels, selected) => {
  expect(parseLabelSelector(selector)(labels)).toBe(selected);
});

test("an object without labels is one with none", () => {
  expect(parseLabelSelector("!app")(undefined)).toBe(true);
});

test.each([
  ["a in", "unable to parse requirement: found '' expected: '('"],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["=x", "found '=', expected: !, identifier, or 'end of string'"],
  ["(", "found '(', expected: !, identifier, or 'end of string'"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["a,", "found '', expected: identifier after ','"],
  [
    "a>x",
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    "-a=b",
    `unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ],
  [
    "a=-b",
    `unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  ],
])("%j is refused in the API server's words", (selector, message) => {
  expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400, message }));
});
