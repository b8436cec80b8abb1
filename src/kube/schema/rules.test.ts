import { describe, expect, test } from "vitest";
import { admit } from "./admit.ts";
import { celEvaluator } from "./cel.ts";
import { problemText } from "./problem.ts";
import type { Structural, ValidationRule } from "./structural.ts";

const cel = celEvaluator();

function problems(schema: Structural, it: unknown, old?: unknown): readonly string[] {
  const root: Structural = { type: "object", properties: { it: schema } };
  const options = old === undefined ? { cel } : { cel, old: { it: old } };
  return admit(root, { it }, options).problems.map(problemText);
}

function text(rule: ValidationRule): Structural {
  return { type: "string", "x-kubernetes-validations": [rule] };
}

describe("a rule", () => {
  test("that holds says nothing", () => {
    expect(problems(text({ rule: "self == 'a'" }), "a")).toEqual([]);
  });

  test.each<[string, Partial<ValidationRule>, string]>([
    ["itself", {}, `it: Invalid value: "b": failed rule: self == 'a'`],
    ["its message", { message: " no " }, 'it: Invalid value: "b": no'],
    [
      "its message expression",
      { message: "no", messageExpression: "'not ' + self" },
      'it: Invalid value: "b": not b',
    ],
    [
      "its message, when the expression fails",
      { message: "no", messageExpression: "self.substring(9)" },
      'it: Invalid value: "b": no',
    ],
    ["that it is forbidden", { message: "no", reason: "FieldValueForbidden" }, "it: Forbidden: no"],
    ["that something is required", { message: "no", reason: "FieldValueRequired" }, "it: Required value: no"],
    ["a duplicate", { message: "no", reason: "FieldValueDuplicate" }, 'it: Duplicate value: "b"'],
  ])("that fails says %s", (_, more, expected) => {
    expect(problems(text({ rule: "self == 'a'", ...more }), "b")).toEqual([expected]);
  });

  test("reports the field that it names", () => {
    const schema: Structural = {
      type: "object",
      properties: { a: { type: "integer" } },
      "x-kubernetes-validations": [{ rule: "self.a > 1", message: "no", fieldPath: ".a" }],
    };
    expect(problems(schema, { a: 1 })).toEqual(["it.a: Invalid value: no"]);
  });

  test("that cannot be evaluated is a failure", () => {
    const schema: Structural = {
      type: "object",
      properties: { a: { type: "integer" } },
      "x-kubernetes-validations": [{ rule: "self.a > 1" }],
    };
    expect(problems(schema, {})).toEqual([
      'it: Invalid value: "object": No such key: a evaluating rule: self.a > 1',
    ]);
  });

  test("about the old value does not run without one", () => {
    expect(problems(text({ rule: "self == oldSelf" }), "a")).toEqual([]);
    expect(problems(text({ rule: "self == oldSelf", message: "no" }), "a", "b")).toHaveLength(1);
  });

  test("about an optional old value runs without one", () => {
    const rule = text({ rule: "oldSelf.hasValue()", optionalOldSelf: true, message: "no" });
    expect(problems(rule, "a")).toHaveLength(1);
    expect(problems(rule, "a", "b")).toEqual([]);
  });

  test("is not evaluated on null", () => {
    expect(problems({ ...text({ rule: "false" }), nullable: true }, null)).toEqual([]);
  });

  test("that failed before is let through while the value stays", () => {
    expect(problems(text({ rule: "self == 'a'" }), "b", "b")).toEqual([]);
  });

  test("in a map is reported under the key", () => {
    const map: Structural = {
      type: "object",
      additionalProperties: text({ rule: "self == 'a'", message: "no" }),
    };
    expect(problems(map, { k: "b" })).toEqual(['it[k]: Invalid value: "b": no']);
  });

  test("waits until the shape is right", () => {
    const schema: Structural = { type: "array", maxItems: 1, items: text({ rule: "false", message: "no" }) };
    expect(problems(schema, ["a", "b"])).toEqual([
      "it: Too many: 2: must have at most 1 item",
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
  });

  test("is not evaluated without an evaluator", () => {
    const root: Structural = { type: "object", properties: { it: text({ rule: "false" }) } };
    expect(admit(root, { it: "a" }).problems).toEqual([]);
  });
});
