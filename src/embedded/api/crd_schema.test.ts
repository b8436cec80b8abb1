import { describe, expect, test } from "vitest";
import { celEvaluator } from "../../kube/schema/cel.ts";
import { problemText } from "../../kube/schema/problem.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { checkCrdSchema } from "./crd_schema.ts";

const cel = celEvaluator();

function problems(spec: Structural): readonly string[] {
  return checkCrdSchema({ type: "object", properties: { spec } }, "schema", cel).map(problemText);
}

describe("checkCrdSchema()", () => {
  test("takes a schema of others, without maxima and messages", () => {
    const rule = { rule: "self.a > 1" };
    expect(
      problems({
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "array", items: { type: "string" } } },
        "x-kubernetes-validations": [rule],
      }),
    ).toEqual([]);
  });

  test("refuses nodes without a type", () => {
    expect(problems({ type: "object", properties: { a: {} } })).toEqual([
      "schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields",
    ]);
    expect(problems({ type: "array", items: {} })).toEqual([
      "schema.properties[spec].items.type: Required value: must not be empty for specified array items",
    ]);
    expect(problems({ "x-kubernetes-int-or-string": true })).toEqual([]);
  });

  test("refuses a root that is no object, and a list of nothing", () => {
    expect(checkCrdSchema({ type: "string" }, "schema", cel).map(problemText)).toEqual([
      'schema.type: Invalid value: "string": must be object at the root',
    ]);
    expect(problems({ type: "array" })).toEqual([
      "schema.properties[spec].items: Required value: must be specified",
    ]);
  });

  test("refuses a default that does not fit", () => {
    expect(problems({ type: "integer", default: "x" })).toEqual([
      'schema.properties[spec].default: Invalid value: "string": schema.properties[spec].default in body must be of type integer: "string"',
    ]);
  });

  test("refuses rules that do not compile, or say neither yes nor no", () => {
    const withRule = (rule: string): Structural => ({
      type: "object",
      properties: { a: { type: "integer" } },
      "x-kubernetes-validations": [{ rule }],
    });
    expect(problems(withRule("self.b > 1"))).toEqual([
      expect.stringContaining("compilation failed: ERROR: <input>:1:5: undefined field 'b'"),
    ]);
    expect(problems(withRule("self.a + 1"))).toEqual([
      expect.stringContaining("cel expression must evaluate to a bool"),
    ]);
  });
});
